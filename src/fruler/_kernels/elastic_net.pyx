"""Elastic Net on a Gram matrix: coordinate descent, sped up by exact steps on the support.

Minimises b'Gb/2 - m'b + sum l1|b| + sum l2 b²/2. The Gram matrices of fuzzy rules are badly conditioned (1e5 to 1e13),
so that plain coordinate descent takes thousands of sweeps. The solver here may start at the ridge solution, and after
every pair of sweeps it solves for the nonzero coefficients, within the limits of their signs. It ends when the
optimality conditions hold.
"""

import numpy as np

from libc.math cimport fabs
from libc.string cimport memcpy, memset
from scipy.linalg.cython_lapack cimport dpotrf, dpotrs

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)


cdef Py_ssize_t solver_workspace(Py_ssize_t size) noexcept nogil:
    """Return the number of doubles in the workspace of `solve_gram`; it also needs `size` integers."""
    return size * size + 4 * size


cdef bint solve_support(const GramProblem* problem, const double* gradient, const double* beta, int n_support,
                        const int* support, double* factor, double* solution) noexcept nogil:
    """Solve for the coefficients of a support, given their signs; return whether that was possible.

    `gradient` is m - Gb. Slight damping keeps steps from running away along directions that the data do not determine;
    the next step makes up for it.
    """
    cdef Py_ssize_t size = problem.size
    cdef const double* gram = problem.gram
    cdef const double* l1 = problem.l1
    cdef const double* l2 = problem.l2
    cdef int i, j, info = 0, one = 1, n = n_support
    cdef const double* row
    cdef double damping = 0.0
    cdef char uplo = b"U"
    if n_support == 0:
        return False
    for i in range(n_support):
        damping = max(damping, gram[support[i] * size + support[i]])
    damping *= 1e-10
    for i in range(n_support):
        row = gram + support[i] * size
        # LAPACK reads columns: this is column i of the upper triangle.
        for j in range(i + 1):
            factor[i * n_support + j] = row[support[j]]
        factor[i * n_support + i] += l2[support[i]] + damping
        solution[i] = gradient[support[i]] - l2[support[i]] * beta[support[i]]
        if beta[support[i]] > 0.0:
            solution[i] -= l1[support[i]]
        elif beta[support[i]] < 0.0:
            solution[i] += l1[support[i]]
    dpotrf(&uplo, &n, factor, &n, &info)
    if info != 0:
        return False
    dpotrs(&uplo, &n, &one, factor, &n, solution, &n, &info)
    for i in range(n_support):
        solution[i] += beta[support[i]]
    return info == 0


cdef void set_gradient(const GramProblem* problem, const double* beta, double* gradient) noexcept nogil:
    """Write m - Gb."""
    cdef Py_ssize_t j, size = problem.size
    memcpy(gradient, problem.moment, size * sizeof(double))
    for j in range(size):
        if beta[j] != 0.0:
            dense_axpy(size, -beta[j], problem.gram + j * size, gradient)


cdef double violation(const GramProblem* problem, const double* gradient, const double* beta) noexcept nogil:
    """Return the violation of the optimality conditions; `gradient` is m - Gb."""
    cdef Py_ssize_t j, size = problem.size
    cdef const double* l1 = problem.l1
    cdef const double* l2 = problem.l2
    cdef double slack, worst = 0.0
    for j in range(size):
        if beta[j] > 0.0:
            slack = fabs(gradient[j] - l2[j] * beta[j] - l1[j])
        elif beta[j] < 0.0:
            slack = fabs(gradient[j] - l2[j] * beta[j] + l1[j])
        else:
            slack = fabs(gradient[j]) - l1[j]
        if slack > worst:
            worst = slack
    return worst


cdef void sweep(const GramProblem* problem, double* beta, double* gradient) noexcept nogil:
    """Run one round of coordinate descent."""
    cdef Py_ssize_t j, size = problem.size
    cdef const double* gram = problem.gram
    cdef const double* l1 = problem.l1
    cdef const double* l2 = problem.l2
    cdef double curvature, pull, new, change
    for j in range(size):
        curvature = gram[j * size + j]
        pull = gradient[j] + curvature * beta[j]
        new = 0.0
        if curvature + l2[j] > 0.0:
            if pull > l1[j]:
                new = (pull - l1[j]) / (curvature + l2[j])
            elif pull < -l1[j]:
                new = (pull + l1[j]) / (curvature + l2[j])
        change = new - beta[j]
        if change != 0.0:
            dense_axpy(size, -change, gram + j * size, gradient)
            beta[j] = new


cdef double objective(const GramProblem* problem, const double* beta, const double* gradient) noexcept nogil:
    """Return the objective; b'Gb is m'b - b'(m - Gb)."""
    cdef Py_ssize_t j
    cdef double total = 0.0
    cdef const double* moment = problem.moment
    cdef const double* l1 = problem.l1
    cdef const double* l2 = problem.l2
    for j in range(problem.size):
        if beta[j] != 0.0:
            total += (0.5 * l2[j] * beta[j] - 0.5 * (moment[j] + gradient[j])) * beta[j] + l1[j] * fabs(beta[j])
    return total


cdef bint step_on_support(const GramProblem* problem, double* beta, double* gradient, double* work,
                          int* support) noexcept nogil:
    """Move towards the solution on the support; return whether that lowered the objective.

    Coefficients that would change their sign become zero, all at once if that lowers the objective; otherwise the step
    ends where the first of them does. On a nearly singular support neither may help, and nothing is done. Gradient and
    coefficients are updated together.
    """
    cdef Py_ssize_t size = problem.size
    cdef const double* l1 = problem.l1
    cdef double* factor = work
    cdef double* target = work + size * size
    cdef double* trial = target + size
    cdef double* trial_gradient = trial + size
    cdef double reach = 1.0, before, share
    cdef int n_support = 0, i, j, n_crossing = 0
    for j in range(size):
        if beta[j] != 0.0 or l1[j] == 0.0:
            support[n_support] = j
            n_support += 1
    if not solve_support(problem, gradient, beta, n_support, support, factor, target):
        return False
    before = objective(problem, beta, gradient)
    memset(trial, 0, size * sizeof(double))
    for i in range(n_support):
        j = support[i]
        if l1[j] > 0.0 and beta[j] * target[i] < 0.0:
            n_crossing += 1
            share = beta[j] / (beta[j] - target[i])
            if share < reach:
                reach = share
        else:
            trial[j] = target[i]
    set_gradient(problem, trial, trial_gradient)
    if not objective(problem, trial, trial_gradient) < before:
        if n_crossing == 0:
            return False
        for i in range(n_support):
            j = support[i]
            trial[j] = beta[j] + reach * (target[i] - beta[j])
            if l1[j] > 0.0 and beta[j] * trial[j] <= 0.0:
                trial[j] = 0.0
        set_gradient(problem, trial, trial_gradient)
        if not objective(problem, trial, trial_gradient) < before:
            return False
    memcpy(beta, trial, size * sizeof(double))
    memcpy(gradient, trial_gradient, size * sizeof(double))
    return True


cdef void start(const GramProblem* problem, double* beta, double* work, int* indices) noexcept nogil:
    """Start at the ridge solution if the l2 penalty dominates, otherwise at zero.

    From the ridge solution, coefficients must be brought to zero one by one, so it is a good start only if few of them
    end there.
    """
    cdef Py_ssize_t j, size = problem.size
    cdef double sparse = 0.0, smooth = 0.0
    for j in range(size):
        beta[j] = 0.0
        indices[j] = <int>j
        if problem.l1[j] > 0.0:
            sparse += problem.l1[j]
            smooth += problem.l2[j]
    # With no signs yet, solving on the support is ridge regression.
    if sparse <= smooth and solve_support(problem, problem.moment, beta, <int>size, indices, work, work + size * size):
        memcpy(beta, work + size * size, size * sizeof(double))


cdef int step_to_first_sign(const GramProblem* problem, const double* gradient, double* beta, double* work,
                            int* support) noexcept nogil:
    """Take an exact step on the support up to where the first coefficient would change its sign, and zero that one.

    Return its index; -1 if none does, -2 if the support is singular.
    """
    cdef double* target = work + problem.size * problem.size
    cdef double reach = 1.0, share
    cdef int i, j, n_support = 0, blocking = -1
    for j in range(problem.size):
        if beta[j] != 0.0 or problem.l1[j] == 0.0:
            support[n_support] = j
            n_support += 1
    if not solve_support(problem, gradient, beta, n_support, support, work, target):
        return -2
    for i in range(n_support):
        j = support[i]
        if problem.l1[j] > 0.0 and beta[j] * target[i] < 0.0:
            share = beta[j] / (beta[j] - target[i])
            if share < reach:
                reach = share
                blocking = j
    for i in range(n_support):
        j = support[i]
        beta[j] = target[i] if blocking < 0 else beta[j] + reach * (target[i] - beta[j])
    if blocking >= 0:
        beta[blocking] = 0.0
    return blocking


cdef double finish(const GramProblem* problem, double limit, double missed, int max_steps, double* beta,
                   double* gradient, double* work, int* support) noexcept nogil:
    """Take only exact steps until the violation is at most `limit`; return the violation.

    If columns are nearly equal and there is little l2, descent is very slow: it brings back coefficients that exact
    steps have set to zero. Here a step ends where the first coefficient would change its sign, and that one becomes
    zero. Only if none does, the coefficient with the largest violation joins the support. The best coefficients found
    are kept.
    """
    cdef Py_ssize_t size = problem.size
    cdef const double* l1 = problem.l1
    cdef double* best = work + size * size + size
    cdef double inside, outside, slack
    cdef double least = missed
    cdef int step, j, blocking, entering
    memcpy(best, beta, size * sizeof(double))
    for step in range(max_steps):
        blocking = step_to_first_sign(problem, gradient, beta, work, support)
        if blocking == -2:
            break
        set_gradient(problem, beta, gradient)
        inside = outside = 0.0
        entering = -1
        for j in range(size):
            if beta[j] != 0.0 or l1[j] == 0.0:
                slack = gradient[j] - problem.l2[j] * beta[j]
                slack = fabs(slack - l1[j] if beta[j] > 0.0 else slack + l1[j])
                inside = max(inside, slack)
            else:
                slack = fabs(gradient[j]) - l1[j]
                if slack > outside:
                    outside = slack
                    entering = j
        if max(inside, outside) < least:
            least = max(inside, outside)
            memcpy(best, beta, size * sizeof(double))
            if least <= limit:
                break
        if blocking < 0 and outside > inside:
            # Too small to count, but its sign gives the direction of the next step.
            beta[entering] = 1e-150 if gradient[entering] > 0.0 else -1e-150
    memcpy(beta, best, size * sizeof(double))
    return least


cdef double solve_gram(const GramProblem* problem, double square, double tolerance, double progress, int max_rounds,
                       double* beta, double* work, int* indices) noexcept nogil:
    """Write the solution into `beta`, which need not be initialised; return the violation of the optimality conditions.

    The solver ends when the violation is at most `tolerance` times the largest moment, or when a round lowers the
    objective (with half the mean square of y, `square`, added) by at most the share `progress`. With a negative
    `progress` only the conditions end it; if the rounds were too few, up to as many exact steps follow.
    """
    cdef Py_ssize_t size = problem.size
    cdef double* gradient = work + size * size + 3 * size
    cdef double scale = 0.0, missed, before, after
    cdef Py_ssize_t j
    cdef int round_, k, n_sweeps = 2
    for j in range(size):
        scale = max(scale, fabs(problem.moment[j]))
    start(problem, beta, work, indices)
    set_gradient(problem, beta, gradient)
    missed = violation(problem, gradient, beta)
    before = objective(problem, beta, gradient)
    for round_ in range(max_rounds):
        if missed <= tolerance * scale:
            break
        for k in range(n_sweeps):
            sweep(problem, beta, gradient)
        # If exact steps do not help, descent continues alone for longer and longer.
        if step_on_support(problem, beta, gradient, work, indices):
            n_sweeps = 2
        else:
            n_sweeps = min(2 * n_sweeps, 64)
        missed = violation(problem, gradient, beta)
        after = objective(problem, beta, gradient)
        if progress >= 0.0 and before - after <= progress * fabs(after + 0.5 * square):
            break
        before = after
    if progress < 0.0 and missed > tolerance * scale:
        missed = finish(problem, tolerance * scale, missed, max_rounds, beta, gradient, work, indices)
    return missed


def elastic_net_gram(const double[:, ::1] gram, const double[::1] moment, const double[::1] l1, const double[::1] l2,
                     double tolerance, int max_rounds):
    """Solve one Elastic Net given its Gram matrix and moments; return coefficients and the violation."""
    cdef Py_ssize_t size = gram.shape[0]
    cdef double missed
    cdef GramProblem problem
    beta_array = np.zeros(size)
    cdef double[::1] beta = beta_array
    cdef double[::1] work = np.empty(solver_workspace(size))
    cdef int[::1] indices = np.empty(size, dtype=np.intc)
    with nogil:
        # A negative `progress`: lack of progress does not end the solver.
        problem.size, problem.gram, problem.moment = size, &gram[0, 0], &moment[0]
        problem.l1, problem.l2 = &l1[0], &l2[0]
        missed = solve_gram(&problem, 0.0, tolerance, -1.0, max_rounds, &beta[0], &work[0], &indices[0])
    return beta_array, missed
