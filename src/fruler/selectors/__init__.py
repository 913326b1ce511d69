"""Instance selectors to compare with FRULER's own: CCIS, and one like CCISR.

The selector of FRULER itself is `fruler.ClassConditionalSelector`.
"""

from fruler.selectors.ccis import CCISSelector
from fruler.selectors.ccisr import CCISRLikeSelector

__all__ = ["CCISRLikeSelector", "CCISSelector"]
