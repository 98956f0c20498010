"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {}], function_type = (tensor<12xf32>, tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>), res_attrs = [{}, {}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<12xf32>, %1: tensor<1x3xf32>, %2: tensor<3xf32>, %3: tensor<3xf32>):
    %4 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2, "a"}]>]>} : (tensor<f32>) -> tensor<12x1xf32>
    %6 = "stablehlo.tanh"(%5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2, "a"}]>]>} : (tensor<12x1xf32>) -> tensor<12x1xf32>
    %7 = "stablehlo.dot_general"(%0, %6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2, "a"}]>]>} : (tensor<12xf32>, tensor<12x1xf32>) -> tensor<1xf32>
    %8 = "stablehlo.abs"(%3) : (tensor<3xf32>) -> tensor<3xf32>
    %9 = "sdy.manual_computation"(%2) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>}> ({
    ^bb0(%10: tensor<3xf32>):
      %11 = "stablehlo.tanh"(%10) {x = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
      %12 = "stablehlo.add"(%11, %10) {x = 1 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      "sdy.return"(%12) : (tensor<3xf32>) -> ()
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %13 = "sdy.propagation_barrier"(%1) <{allowed_direction = 2 : i32}> : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %14 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>
    %15 = "stablehlo.add"(%8, %14) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %16 = "sdy.reshard"(%7) <{sharding = #sdy.sharding<@mesh, [{"b":(1)2, "a"}]>}> : (tensor<1xf32>) -> tensor<1xf32>
    %17 = "stablehlo.negate"(%8) : (tensor<3xf32>) -> tensor<3xf32>
    %18 = "stablehlo.abs"(%9) : (tensor<3xf32>) -> tensor<3xf32>
    %19 = "stablehlo.multiply"(%18, %9) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %20 = "stablehlo.tanh"(%16) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2, "a"}]>]>} : (tensor<1xf32>) -> tensor<1xf32>
    %21 = "func.call"(%20) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%13, %15, %17, %19, %21) : (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}], function_type = (tensor<1xf32>) -> tensor<1xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}], sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%22: tensor<1xf32>):
    %23 = "stablehlo.tanh"(%22) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2, "a"}]>]>} : (tensor<1xf32>) -> tensor<1xf32>
    %24 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : () -> tensor<f32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2, "a"}]>]>} : (tensor<f32>) -> tensor<1xf32>
    %26 = "stablehlo.add"(%23, %25) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2, "a"}]>]>} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%26) : (tensor<1xf32>) -> ()
  }) : () -> ()
}) : () -> ()
