"""Gathers rows with torch on a GPU in one pass: pick, shift, weight and sum.

torch's own gather is three times slower than memory, and every further step would read memory
again. Imported only if torch has rows on a GPU; Triton is installed with torch there.
"""

from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl

from zerone._data.device_batch import DeviceBatch

# Rows are read in tiles of this many values, and a program sums _TILES tiles.
_TILE_VALUES = 4096
_MOST_COLUMNS = 128
_TILES = 4


@cache
def is_usable(device: Any) -> bool:
    """Whether kernels can be compiled; Triton needs a C compiler."""
    rows = torch.zeros((1, 1), device=device)
    chosen = torch.zeros(1, dtype=torch.int64, device=device)
    try:
        _gathered(rows, chosen, rows[0], None)
    except torch.OutOfMemoryError:
        raise
    except Exception:
        return False
    return True


def gathered_by_triton(batch: DeviceBatch, chosen: Any, shift: Any, roots: Any) -> tuple[Any, Any]:
    """Return what `gathered` returns, for rows of float32 that are contiguous."""
    return _gathered(batch.rows, chosen, shift, roots)


def _gathered(rows: Any, chosen: Any, shift: Any, roots: Any) -> tuple[Any, Any]:
    n, d = int(chosen.shape[0]), int(rows.shape[1])
    block = torch.empty((n, d), dtype=rows.dtype, device=rows.device)
    columns = min(triton.next_power_of_2(d), _MOST_COLUMNS)
    tile_rows = _TILE_VALUES // columns
    n_programs = triton.cdiv(n, tile_rows * _TILES)
    totals = torch.empty((n_programs, d), dtype=rows.dtype, device=rows.device)
    with torch.cuda.device(rows.device):
        _gather[(n_programs, triton.cdiv(d, columns))](
            rows,
            chosen,
            shift,
            block if roots is None else roots,
            block,
            totals,
            n,
            rows.stride(0),
            d,
            IS_WEIGHTED=roots is not None,
            COLUMNS=columns,
            TILE_ROWS=tile_rows,
            TILES=_TILES,
        )
    return block, totals.sum(0, dtype=torch.float64)


@triton.jit  # type: ignore[untyped-decorator]
def _gather(  # type: ignore[no-untyped-def]
    rows,
    chosen,
    shift,
    roots,
    block,
    totals,
    n,
    stride,
    d,
    IS_WEIGHTED: tl.constexpr,
    COLUMNS: tl.constexpr,
    TILE_ROWS: tl.constexpr,
    TILES: tl.constexpr,
):
    program = tl.program_id(0)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < d
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    moved = tl.load(shift + column, mask=inside, other=0.0)
    for tile in range(TILES):
        row = (program * TILES + tile).to(tl.int64) * TILE_ROWS + tl.arange(0, TILE_ROWS)
        there = row < n
        mask = there[:, None] & inside[None, :]
        source = tl.load(chosen + row, mask=there, other=0)
        values = tl.load(rows + source[:, None] * stride + column[None, :], mask=mask, other=0.0)
        values = tl.where(mask, values - moved[None, :], 0.0)
        if IS_WEIGHTED:
            root = tl.load(roots + row, mask=there, other=0.0)
            values *= root[:, None]
            total += tl.sum(values * root[:, None], axis=0)
        else:
            total += tl.sum(values, axis=0)
        tl.store(block + row[:, None] * d + column[None, :], values, mask=mask)
    tl.store(totals + program * d + column, total, mask=inside)
