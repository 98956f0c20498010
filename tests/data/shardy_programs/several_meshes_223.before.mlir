"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["p"=2, "q"=2]>, sym_name = "other"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<[], device_ids=[1]>, sym_name = "one_device"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x1xf32>, tensor<8x1x2xf32>) -> (tensor<8x2x8xf32>, tensor<2xf32>, tensor<8x2xf32>, tensor<8x1x2xf32>, tensor<1x8xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@one_device, []>}, {sdy.sharding = #sdy.sharding<@other, [{"q", ?}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}, {}]>}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<2x1xf32>, %arg2: tensor<8x1x2xf32>):
    %3 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<1x8xf32>}> : () -> tensor<1x8xf32>
    %4 = "stablehlo.dot_general"(%arg2, %3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<8x1x2xf32>, tensor<1x8xf32>) -> tensor<8x2x8xf32>
    %5 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x1x2xf32>
    %7 = "stablehlo.add"(%arg2, %6) : (tensor<8x1x2xf32>, tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %8 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1xf32>
    %10 = "stablehlo.dot_general"(%arg1, %9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
    %11 = "stablehlo.reshape"(%10) : (tensor<2x1xf32>) -> tensor<2xf32>
    %12 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.reduce"(%7, %12) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %22 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%22) : (tensor<f32>) -> ()
    }) : (tensor<8x1x2xf32>, tensor<f32>) -> tensor<8x2xf32>
    %14 = "stablehlo.slice"(%arg2) <{limit_indices = array<i64: 8, 1, 1>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<8x1x2xf32>) -> tensor<8x1x1xf32>
    %15 = "func.call"(%7) <{callee = @f0}> : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %16 = "func.call"(%15) <{callee = @f0}> : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %17 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %18 = "stablehlo.reduce"(%14, %17) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %21 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%21) : (tensor<f32>) -> ()
    }) : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %19 = "stablehlo.sine"(%16) : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %20 = "stablehlo.transpose"(%18) <{permutation = array<i64: 1, 0>}> : (tensor<8x1xf32>) -> tensor<1x8xf32>
    "func.return"(%4, %11, %13, %19, %20) : (tensor<8x2x8xf32>, tensor<2xf32>, tensor<8x2xf32>, tensor<8x1x2xf32>, tensor<1x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x1x2xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<8x1x2xf32>}> : () -> tensor<8x1x2xf32>
    %2 = "stablehlo.add"(%0, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : (tensor<8x1x2xf32>, tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    "func.return"(%2) : (tensor<8x1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
