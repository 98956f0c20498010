"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {?}]>}], function_type = (tensor<16x2xf32>, tensor<1x16x6xf32>) -> (tensor<16x2xf32>, tensor<16x4xf32>, tensor<4x4x2xf32>, tensor<16x2xf32>, tensor<4x4x2xf32>, tensor<4x2xf32>), res_attrs = [{}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c", ?}]>}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<16x2xf32>, %1: tensor<1x16x6xf32>):
    "sdy.sharding_group"(%0) <{group_id = 0 : i64}> : (tensor<16x2xf32>) -> ()
    "sdy.sharding_group"(%0) <{group_id = 0 : i64}> : (tensor<16x2xf32>) -> ()
    %2 = "stablehlo.reshape"(%0) : (tensor<16x2xf32>) -> tensor<4x4x2xf32>
    %3 = "stablehlo.sine"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %4 = "stablehlo.concatenate"(%0, %0) <{dimension = 1 : i64}> : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x4xf32>
    %5 = "stablehlo.negate"(%0) : (tensor<16x2xf32>) -> tensor<16x2xf32>
    "sdy.sharding_group"(%2) <{group_id = 1 : i64}> : (tensor<4x4x2xf32>) -> ()
    "sdy.sharding_group"(%2) <{group_id = 1 : i64}> : (tensor<4x4x2xf32>) -> ()
    %6 = "func.call"(%2) <{callee = @f0}> : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %7 = "func.call"(%6) <{callee = @f0}> : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %8 = "stablehlo.reshape"(%2) : (tensor<4x4x2xf32>) -> tensor<8x4xf32>
    %9 = "stablehlo.reverse"(%8) <{dimensions = array<i64: 1>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %10 = "stablehlo.reverse"(%5) <{dimensions = array<i64: 1>}> : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %11 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<4x4x2xf32>}> : () -> tensor<4x4x2xf32>
    %12 = "stablehlo.add"(%2, %11) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {?}, {"a", "b", ?}]>]>} : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.reduce"(%2, %13) <{dimensions = array<i64: 0>}> ({
    ^bb0(%15: tensor<f32>, %16: tensor<f32>):
      %17 = "stablehlo.add"(%15, %16) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%17) : (tensor<f32>) -> ()
    }) : (tensor<4x4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    %18 = "stablehlo.tanh"(%9) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    "func.return"(%3, %4, %7, %10, %12, %14) : (tensor<16x2xf32>, tensor<16x4xf32>, tensor<4x4x2xf32>, tensor<16x2xf32>, tensor<4x4x2xf32>, tensor<4x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%19: tensor<4x4x2xf32>):
    %20 = "stablehlo.tanh"(%19) : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %21 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x2xf32>
    %23 = "stablehlo.add"(%20, %22) : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    "func.return"(%23) : (tensor<4x4x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
