"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {?}]>}, {}], function_type = (tensor<2x16x16xf32>, tensor<8x12x12xf32>) -> (tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>), res_attrs = [{}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {"x"}]>}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<2x16x16xf32>, %1: tensor<8x12x12xf32>):
    %2 = "stablehlo.maximum"(%0, %0) : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %3 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x16x16xf32>
    %5 = "stablehlo.subtract"(%2, %4) : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %6 = "stablehlo.abs"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"x":(1)2}]>]>} : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %7 = "stablehlo.exponential"(%0) : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %8 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"x", ?}, {}, {}]>}> : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %9 = "stablehlo.subtract"(%8, %0) : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %10 = "stablehlo.negate"(%6) : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %11 = "stablehlo.abs"(%6) : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %12 = "stablehlo.reverse"(%7) <{dimensions = array<i64: 0>}> : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %13 = "stablehlo.add"(%8, %11) : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %14 = "sdy.manual_computation"(%8) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"x", ?}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"x"}]>]>}> ({
    ^bb0(%15: tensor<2x16x2xf32>):
      %16 = "stablehlo.tanh"(%15) {x = 1 : i64} : (tensor<2x16x2xf32>) -> tensor<2x16x2xf32>
      %17 = "stablehlo.add"(%16, %15) {x = 1 : i64} : (tensor<2x16x2xf32>, tensor<2x16x2xf32>) -> tensor<2x16x2xf32>
      "sdy.return"(%17) : (tensor<2x16x2xf32>) -> ()
    }) : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %18 = "stablehlo.add"(%11, %8) : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %19 = "stablehlo.transpose"(%14) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %20 = "sdy.sharding_constraint"(%13) <{sharding = #sdy.sharding<@mesh, [{?}, {?}, {"x", ?}]>}> : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %21 = "stablehlo.abs"(%19) : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %22 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 1, 2, 3>}> : (tensor<2x16x16xf32>) -> tensor<4x2x16x16xf32>
    %23 = "sdy.propagation_barrier"(%21) <{allowed_direction = 1 : i32}> : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    "sdy.sharding_group"(%23) <{group_id = 0 : i64}> : (tensor<2x16x16xf32>) -> ()
    %24 = "stablehlo.abs"(%19) : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    "sdy.sharding_group"(%23) <{group_id = 0 : i64}> : (tensor<2x16x16xf32>) -> ()
    %25 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2x16x16xf32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x":(2)4}, {?}]>]>} : () -> tensor<2x16x16xf32>
    %26 = "stablehlo.subtract"(%21, %25) : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    "func.return"(%5, %9, %10, %12, %18, %20) : (tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
