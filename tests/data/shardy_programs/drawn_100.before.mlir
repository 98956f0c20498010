"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p0, {?}, {}]>}, {}], function_type = (tensor<12x8x12xf32>, tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<1x8x6x48xf32>, tensor<1x8x6x48xf32>, tensor<2x4x2xf32>, tensor<16x8x6x48xf32>, tensor<1x16x6x48xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}, {}]>}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", ?}, {?}p2, {"c"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c", "a"}p2, {}, {?}p2]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<12x8x12xf32>, %arg1: tensor<2x2x2xf32>):
    %0 = "stablehlo.negate"(%arg1) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %1 = "sdy.sharding_constraint"(%arg1) <{sharding = #sdy.sharding<@mesh, [{"a", "c"}p3, {}, {?}]>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %2 = "stablehlo.reshape"(%arg0) : (tensor<12x8x12xf32>) -> tensor<1x8x3x48xf32>
    %3 = "sdy.manual_computation"(%arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {}]>]>, manual_axes = #sdy<manual_axes{"c"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>}> ({
    ^bb0(%arg3: tensor<2x2x2xf32>):
      %25 = "stablehlo.tanh"(%arg3) {x = 1 : i64} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
      %26 = "stablehlo.add"(%25, %arg3) {x = 1 : i64} : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
      "sdy.return"(%26) : (tensor<2x2x2xf32>) -> ()
    }) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %4 = "stablehlo.concatenate"(%2, %2) <{dimension = 2 : i64}> : (tensor<1x8x3x48xf32>, tensor<1x8x3x48xf32>) -> tensor<1x8x6x48xf32>
    "sdy.sharding_group"(%1) <{group_id = 0 : i64}> : (tensor<2x2x2xf32>) -> ()
    %5 = "sdy.propagation_barrier"(%0) <{allowed_direction = 2 : i32}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %6 = "stablehlo.maximum"(%4, %4) : (tensor<1x8x6x48xf32>, tensor<1x8x6x48xf32>) -> tensor<1x8x6x48xf32>
    %7 = "stablehlo.sine"(%4) : (tensor<1x8x6x48xf32>) -> tensor<1x8x6x48xf32>
    %8 = "stablehlo.exponential"(%4) : (tensor<1x8x6x48xf32>) -> tensor<1x8x6x48xf32>
    %9 = "stablehlo.concatenate"(%4, %4) <{dimension = 1 : i64}> : (tensor<1x8x6x48xf32>, tensor<1x8x6x48xf32>) -> tensor<1x16x6x48xf32>
    %10 = "stablehlo.tanh"(%5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}p3, {?}, {"b"}], replicated={"c"}>]>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %11 = "stablehlo.concatenate"(%5, %10) <{dimension = 1 : i64}> : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x4x2xf32>
    %12 = "sdy.manual_computation"(%5) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {?}, {?}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}, {?}]>]>}> ({
    ^bb0(%arg2: tensor<1x2x2xf32>):
      %23 = "stablehlo.tanh"(%arg2) {x = 1 : i64} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
      %24 = "stablehlo.add"(%23, %arg2) {x = 1 : i64} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
      "sdy.return"(%24) : (tensor<1x2x2xf32>) -> ()
    }) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    "sdy.sharding_group"(%12) <{group_id = 0 : i64}> : (tensor<2x2x2xf32>) -> ()
    %13 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x8x6x48xf32>) -> tensor<16x8x6x48xf32>
    %14 = "sdy.sharding_constraint"(%9) <{sharding = #sdy.sharding<@mesh, [{?}p0, {"c", ?}p2, {?}p2, {"b", "a", ?}p0]>}> : (tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    %15 = "sdy.propagation_barrier"(%9) <{allowed_direction = 1 : i32}> : (tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    %16 = "sdy.sharding_constraint"(%15) <{sharding = #sdy.sharding<@mesh, [{?}, {}, {?}, {?}]>}> : (tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    %17 = "stablehlo.multiply"(%14, %14) : (tensor<1x16x6x48xf32>, tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    %18 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x16xf32>
    %20 = "stablehlo.dot_general"(%16, %19) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<1x16x6x48xf32>, tensor<1x16xf32>) -> tensor<16x6x48x16xf32>
    %21 = "stablehlo.tanh"(%15) : (tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    %22 = "stablehlo.abs"(%15) : (tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    "func.return"(%3, %6, %8, %11, %13, %17) : (tensor<2x2x2xf32>, tensor<1x8x6x48xf32>, tensor<1x8x6x48xf32>, tensor<2x4x2xf32>, tensor<16x8x6x48xf32>, tensor<1x16x6x48xf32>) -> ()
  }) : () -> ()
}) : () -> ()
