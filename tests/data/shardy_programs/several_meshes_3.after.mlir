"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}, {name = "c", size = 3 : i64}]}} : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["p"=2, "q"=2]>, sym_name = "other"}> {stablehlo.mesh = {axes = [{name = "p", size = 2 : i64}, {name = "q", size = 2 : i64}]}} : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<[], device_ids=[1]>, sym_name = "one_device"}> {stablehlo.mesh = {axes = [], device_ids = dense<1> : tensor<1xi64>}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"c"}>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}], function_type = (tensor<16x2xf32>, tensor<1x16x6xf32>) -> (tensor<16x2xf32>, tensor<16x4xf32>, tensor<4x4x2xf32>, tensor<16x2xf32>, tensor<4x4x2xf32>, tensor<4x2xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<16x2xf32>, %1: tensor<1x16x6xf32>):
    %2 = "stablehlo.reshape"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}, {"a", "b"}]>]>} : (tensor<16x2xf32>) -> tensor<4x4x2xf32>
    %3 = "stablehlo.sine"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"c"}>]>} : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %4 = "stablehlo.concatenate"(%0, %0) <{dimension = 1 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x4xf32>
    %5 = "stablehlo.negate"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"c"}]>]>} : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %6 = "func.call"(%2) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %7 = "func.call"(%6) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %8 = "stablehlo.reverse"(%5) <{dimensions = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"c"}]>]>} : (tensor<16x2xf32>) -> tensor<16x2xf32>
    %9 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<4x4x2xf32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}, {"a", "b"}]>]>} : () -> tensor<4x4x2xf32>
    %10 = "stablehlo.add"(%2, %9) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}, {"a", "b"}]>]>} : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %11 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.reduce"(%2, %11) <{dimensions = array<i64: 0>}> ({
    ^bb0(%13: tensor<f32>, %14: tensor<f32>):
      %15 = "stablehlo.add"(%13, %14) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%15) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a", "b"}]>]>} : (tensor<4x4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    "func.return"(%3, %4, %7, %8, %10, %12) : (tensor<16x2xf32>, tensor<16x4xf32>, tensor<4x4x2xf32>, tensor<16x2xf32>, tensor<4x4x2xf32>, tensor<4x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}], function_type = (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}], sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%16: tensor<4x4x2xf32>):
    %17 = "stablehlo.tanh"(%16) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}, {"a", "b"}]>]>} : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    %18 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}, {"a", "b"}]>]>} : (tensor<f32>) -> tensor<4x4x2xf32>
    %20 = "stablehlo.add"(%17, %19) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}, {"a", "b"}]>]>} : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
    "func.return"(%20) : (tensor<4x4x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
