"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["p"=2, "q"=2]>, sym_name = "other"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<[], device_ids=[1]>, sym_name = "one_device"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], unreduced={"c"}>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {?}]>}], function_type = (tensor<16x2xf32>, tensor<1x16x6xf32>) -> (tensor<16x2xf32>, tensor<16x4xf32>, tensor<4x4x2xf32>, tensor<16x2xf32>, tensor<4x4x2xf32>, tensor<4x2xf32>), res_attrs = [{}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c", ?}]>}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<16x2xf32>, %arg2: tensor<1x16x6xf32>):
    "sdy.sharding_group"(%arg1) <{group_id = 0 : i64}> : (tensor<16x2xf32>) -> ()
    "sdy.sharding_group"(%arg1) <{group_id = 0 : i64}> : (tensor<16x2xf32>) -> ()
    %4 = "stablehlo.reshape"(%arg1) : (tensor<16x2xf32>) -> tensor<4x4x2xf32>
    %5 = "stablehlo.sine"(%arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"c"}>]>} : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %6 = "stablehlo.concatenate"(%arg1, %arg1) <{dimension = 1 : i64}> : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x4xf32>
    %7 = "stablehlo.negate"(%arg1) : (tensor<16x2xf32>) -> tensor<16x2xf32>
    "sdy.sharding_group"(%4) <{group_id = 1 : i64}> : (tensor<4x4x2xf32>) -> ()
    "sdy.sharding_group"(%4) <{group_id = 1 : i64}> : (tensor<4x4x2xf32>) -> ()
    %8 = "func.call"(%4) <{callee = @f0}> : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %9 = "func.call"(%8) <{callee = @f0}> : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %10 = "stablehlo.reshape"(%4) : (tensor<4x4x2xf32>) -> tensor<8x4xf32>
    %11 = "stablehlo.reverse"(%10) <{dimensions = array<i64: 1>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %12 = "stablehlo.reverse"(%7) <{dimensions = array<i64: 1>}> : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %13 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<4x4x2xf32>}> : () -> tensor<4x4x2xf32>
    %14 = "stablehlo.add"(%4, %13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {?}, {"a", "b", ?}]>]>} : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %15 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.reduce"(%4, %15) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %18 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%18) : (tensor<f32>) -> ()
    }) : (tensor<4x4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    %17 = "stablehlo.tanh"(%11) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    "func.return"(%5, %6, %9, %12, %14, %16) : (tensor<16x2xf32>, tensor<16x4xf32>, tensor<4x4x2xf32>, tensor<16x2xf32>, tensor<4x4x2xf32>, tensor<4x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x4x2xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4x2xf32>
    %3 = "stablehlo.add"(%0, %2) : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    "func.return"(%3) : (tensor<4x4x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
