"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["p"=2, "q"=2]>, sym_name = "other"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<[], device_ids=[1]>, sym_name = "one_device"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@other, [{"q"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}], function_type = (tensor<2x1xf32>, tensor<8x1x2xf32>) -> (tensor<8x2x8xf32>, tensor<2xf32>, tensor<8x2xf32>, tensor<8x1x2xf32>, tensor<1x8xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@one_device, []>}, {sdy.sharding = #sdy.sharding<@other, [{"q"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<2x1xf32>, %1: tensor<8x1x2xf32>):
    %2 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<1x8xf32>}> : () -> tensor<1x8xf32>
    %3 = "stablehlo.dot_general"(%1, %2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {"x":(1)2}, {}]>]>} : (tensor<8x1x2xf32>, tensor<1x8xf32>) -> tensor<8x2x8xf32>
    %4 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : (tensor<f32>) -> tensor<8x1x2xf32>
    %6 = "stablehlo.add"(%1, %5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : (tensor<8x1x2xf32>, tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %7 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1x1xf32>
    %8 = "stablehlo.dot_general"(%0, %7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"q"}, {}]>]>} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
    %9 = "stablehlo.reshape"(%8) {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"q"}]>]>} : (tensor<2x1xf32>) -> tensor<2xf32>
    %10 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.reduce"(%6, %10) <{dimensions = array<i64: 1>}> ({
    ^bb0(%12: tensor<f32>, %13: tensor<f32>):
      %14 = "stablehlo.add"(%12, %13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%14) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {"x":(1)2}]>]>} : (tensor<8x1x2xf32>, tensor<f32>) -> tensor<8x2xf32>
    %15 = "stablehlo.slice"(%1) <{limit_indices = array<i64: 8, 1, 1>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : (tensor<8x1x2xf32>) -> tensor<8x1x1xf32>
    %16 = "func.call"(%6) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %17 = "func.call"(%16) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %18 = "stablehlo.reduce"(%15, %10) <{dimensions = array<i64: 2>}> ({
    ^bb0(%19: tensor<f32>, %20: tensor<f32>):
      %21 = "stablehlo.add"(%19, %20) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%21) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}]>]>} : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %22 = "stablehlo.sine"(%17) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %23 = "stablehlo.transpose"(%18) <{permutation = array<i64: 1, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x":(2)4}]>]>} : (tensor<8x1xf32>) -> tensor<1x8xf32>
    "func.return"(%3, %9, %11, %22, %23) : (tensor<8x2x8xf32>, tensor<2xf32>, tensor<8x2xf32>, tensor<8x1x2xf32>, tensor<1x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>}], function_type = (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>}], sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%24: tensor<8x1x2xf32>):
    %25 = "stablehlo.tanh"(%24) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    %26 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<8x1x2xf32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : () -> tensor<8x1x2xf32>
    %27 = "stablehlo.add"(%25, %26) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)4}, {}, {"x":(1)2}]>]>} : (tensor<8x1x2xf32>, tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
    "func.return"(%27) : (tensor<8x1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
