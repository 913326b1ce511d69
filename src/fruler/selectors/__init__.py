"""Instance selectors to compare with FRULER's own: CCIS, and one like CCISR.

The selector of FRULER itself is `fruler.ClassConditionalSelector`.
"""

from fruler.selectors._ccis import CCISSelector
from fruler.selectors._ccisr import CCISRLikeSelector

__all__ = ["CCISRLikeSelector", "CCISSelector"]
