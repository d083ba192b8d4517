"""Orders of Conquest as rows of numbers, the form in which files of games hold them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable import conquest

DEPLOY = -1  # the target in the row of a deploy

PlainOrder = tuple[int, ...]  # a form that the engine also reads: (territory, armies) or (source, target, armies)


def rows_of(orders: Iterable[conquest.Order]) -> NDArray[np.int32]:
    """[O, 3]: source, target, armies; the target of a deploy is DEPLOY."""
    rows = [(order[0], DEPLOY, order[1]) if isinstance(order, conquest.Deploy) else order for order in orders]
    return np.array(rows, np.int32).reshape(-1, 3)


def orders_of(rows: NDArray[np.int32]) -> list[PlainOrder]:
    return [
        (source, armies) if target == DEPLOY else (source, target, armies) for source, target, armies in rows.tolist()
    ]


def split_rows(array: NDArray[Any], sizes: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The array split into parts of these sizes; ValueError unless the sizes add up to its length."""
    if int(sizes.sum()) != len(array):
        raise ValueError
    return np.split(array, np.cumsum(sizes)[:-1]) if len(sizes) else []
