"""The functions and tests that rules may call, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardlog.ir import algebra

__all__ = ["FUNCTIONS", "TESTS"]

TESTS: dict[str, Callable[..., bool]] = {
    test.__name__: test
    for test in (
        algebra.compatible,
        algebra.cse_mark,
        algebra.has_manual,
        algebra.is_manual,
        algebra.is_maximal,
        algebra.is_partitioned,
        algebra.is_replicated,
        algebra.is_tiled,
        algebra.is_unknown,
        algebra.kernel_is_small,
        algebra.matches,
        algebra.movable_tiles,
        algebra.subtiling,
    )
}
"""Yes-or-no questions."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        # of shardings
        algebra.carry,
        algebra.chained,
        algebra.common,
        algebra.common_or,
        algebra.cse_marked,
        algebra.data_replicated,
        algebra.device_range,
        algebra.dropped,
        algebra.either_refined,
        algebra.even_or_replicated,
        algebra.evened,
        algebra.extended_leaves,
        algebra.first_refined,
        algebra.first_tiled,
        algebra.front,
        algebra.improved,
        algebra.improved_or_same,
        algebra.leading,
        algebra.leaf,
        algebra.leaves,
        algebra.manual_like,
        algebra.merged,
        algebra.merged_all,
        algebra.merged_if,
        algebra.mirrored,
        algebra.most_specific,
        algebra.most_specific_leaves,
        algebra.on_device,
        algebra.opened,
        algebra.paired,
        algebra.placed_leaves,
        algebra.replicated,
        algebra.replicated_like,
        algebra.reshaped,
        algebra.restored,
        algebra.restored_elements,
        algebra.spread,
        algebra.tiles,
        algebra.tiles_on,
        algebra.to_leaves,
        algebra.to_operand,
        algebra.to_result,
        algebra.to_sibling,
        algebra.with_leaves,
        # of attributes and shapes alone
        algebra.appended,
        algebra.batch_of,
        algebra.feature_of,
        algebra.others,
        algebra.conv_lhs_map,
        algebra.dim_at,
        algebra.exactness,
        algebra.explicit_batch,
        algebra.implicit_batch,
        algebra.index_map,
        algebra.inverse,
        algebra.kept,
        algebra.link_map,
        algebra.named_dims,
        algebra.operand_dims,
        algebra.permuted,
        algebra.placed_in_order,
        algebra.role_map,
        algebra.role_side,
        algebra.role_spatial,
        algebra.roles_of_convolution,
        algebra.roles_of_dot,
        algebra.same,
        algebra.where_equal,
        algebra.window_map,
        algebra.without,
    )
}
"""Functions with a value, or None for no row."""
