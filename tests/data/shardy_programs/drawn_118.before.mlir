"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c", ?}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"c"}p2, {"b", "a"}, {?}]>}, {}], function_type = (tensor<6x1xf32>, tensor<8x1xf32>, tensor<16x8x3xf32>, tensor<1x4x3xf32>) -> (tensor<1x4x3xf32>, tensor<8x1xf32>, tensor<16x8x3xf32>, tensor<16x8x8xf32>, tensor<16x8x3xf32>, tensor<6x2x32x1xf32>), res_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}p2, {}]>}, {}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<6x1xf32>, %arg1: tensor<8x1xf32>, %arg2: tensor<16x8x3xf32>, %arg3: tensor<1x4x3xf32>):
    %0 = "sdy.sharding_constraint"(%arg2) <{sharding = #sdy.sharding<@mesh, [{}, {"c", "a", ?}, {"b"}]>}> : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %1 = "stablehlo.tanh"(%arg3) : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
    %2 = "sdy.propagation_barrier"(%arg1) <{allowed_direction = 1 : i32}> : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %3 = "stablehlo.exponential"(%arg2) : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %4 = "sdy.propagation_barrier"(%arg2) <{allowed_direction = 2 : i32}> : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %5 = "sdy.manual_computation"(%0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {?}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}]>]>}> ({
    ^bb0(%arg4: tensor<16x4x3xf32>):
      %25 = "stablehlo.tanh"(%arg4) {x = 1 : i64} : (tensor<16x4x3xf32>) -> tensor<16x4x3xf32>
      %26 = "stablehlo.add"(%25, %arg4) {x = 1 : i64} : (tensor<16x4x3xf32>, tensor<16x4x3xf32>) -> tensor<16x4x3xf32>
      "sdy.return"(%26) : (tensor<16x4x3xf32>) -> ()
    }) : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %6 = "sdy.sharding_constraint"(%4) <{sharding = #sdy.sharding<@mesh, [{?}, {}, {"a", ?}p0]>}> : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %7 = "stablehlo.abs"(%6) : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %8 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<3x8xf32>}> : () -> tensor<3x8xf32>
    %9 = "stablehlo.dot_general"(%5, %8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<16x8x3xf32>, tensor<3x8xf32>) -> tensor<16x8x8xf32>
    %10 = "stablehlo.tanh"(%7) : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %11 = "stablehlo.reshape"(%10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a", "c"}, {}, {"b", ?}p2]>]>} : (tensor<16x8x3xf32>) -> tensor<6x2x32x1xf32>
    %12 = "stablehlo.sine"(%7) : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %13 = "stablehlo.tanh"(%10) : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %14 = "stablehlo.transpose"(%12) <{permutation = array<i64: 1, 0, 2>}> : (tensor<16x8x3xf32>) -> tensor<8x16x3xf32>
    %15 = "stablehlo.add"(%11, %11) : (tensor<6x2x32x1xf32>, tensor<6x2x32x1xf32>) -> tensor<6x2x32x1xf32>
    %16 = "stablehlo.add"(%10, %arg2) : (tensor<16x8x3xf32>, tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %17 = "stablehlo.reverse"(%16) <{dimensions = array<i64: 0>}> : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %18 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %19 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %20 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.dynamic_slice"(%16, %18, %19, %20) <{slice_sizes = array<i64: 16, 4, 3>}> : (tensor<16x8x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x4x3xf32>
    %22 = "stablehlo.dynamic_update_slice"(%16, %21, %18, %19, %20) : (tensor<16x8x3xf32>, tensor<16x4x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x3xf32>
    %23 = "stablehlo.exponential"(%16) : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %24 = "sdy.sharding_constraint"(%14) <{sharding = #sdy.sharding<@mesh, [{?}, {}, {?}]>}> : (tensor<8x16x3xf32>) -> tensor<8x16x3xf32>
    "func.return"(%1, %2, %3, %9, %13, %15) : (tensor<1x4x3xf32>, tensor<8x1xf32>, tensor<16x8x3xf32>, tensor<16x8x8xf32>, tensor<16x8x3xf32>, tensor<6x2x32x1xf32>) -> ()
  }) : () -> ()
}) : () -> ()
