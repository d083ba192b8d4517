"""Figures with their uncertainty."""

import math

Z95 = 1.959963984540054


def wilson(score: float, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval for a share: `score` successes of n, a tie counting half."""
    if n == 0:
        return 0.0, 1.0
    share = score / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)
