"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {}], function_type = (tensor<1x16xf32>, tensor<8x4x12xf32>, tensor<2xf32>, tensor<3x6xf32>) -> (tensor<f32>, tensor<8x4x12xf32>, tensor<2xf32>, tensor<2xf32>, tensor<8xf32>, tensor<1xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, []>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<1x16xf32>, %1: tensor<8x4x12xf32>, %2: tensor<2xf32>, %3: tensor<3x6xf32>):
    %4 = "stablehlo.maximum"(%2, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %5 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.reduce"(%2, %5) <{dimensions = array<i64: 0>}> ({
    ^bb0(%7: tensor<f32>, %8: tensor<f32>):
      %9 = "stablehlo.add"(%7, %8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %10 = "stablehlo.reverse"(%1) <{dimensions = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"b"}]>]>} : (tensor<8x4x12xf32>) -> tensor<8x4x12xf32>
    %11 = "stablehlo.multiply"(%2, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %12 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<f32>) -> tensor<2xf32>
    %14 = "stablehlo.multiply"(%2, %13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %15 = "sdy.manual_computation"(%4) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>}> ({
    ^bb0(%16: tensor<2xf32>):
      %17 = "stablehlo.tanh"(%16) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>, x = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
      %18 = "stablehlo.add"(%17, %16) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>, x = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      "sdy.return"(%18) : (tensor<2xf32>) -> ()
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %19 = "stablehlo.subtract"(%4, %15) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %20 = "stablehlo.reverse"(%19) <{dimensions = array<i64: 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>) -> tensor<2xf32>
    %21 = "stablehlo.reshape"(%11) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>) -> tensor<2xf32>
    %22 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : () -> tensor<2xf32>
    %23 = "stablehlo.multiply"(%15, %22) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %24 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}]>]>} : (tensor<f32>) -> tensor<2x8xf32>
    %25 = "stablehlo.dot_general"(%23, %24) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<2xf32>, tensor<2x8xf32>) -> tensor<8xf32>
    %26 = "stablehlo.multiply"(%23, %21) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %27 = "stablehlo.multiply"(%20, %21) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %28 = "stablehlo.tanh"(%27) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>) -> tensor<2xf32>
    %29 = "stablehlo.concatenate"(%27, %28) <{dimension = 0 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %30 = "func.call"(%25) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %31 = "func.call"(%30) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %32 = "sdy.reshard"(%29) <{sharding = #sdy.sharding<@mesh, [{"b"}]>}> : (tensor<4xf32>) -> tensor<4xf32>
    %33 = "stablehlo.subtract"(%31, %25) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %34 = "stablehlo.subtract"(%29, %32) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %35 = "stablehlo.slice"(%27) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<2xf32>) -> tensor<1xf32>
    %36 = "func.call"(%34) <{callee = @f1}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%6, %10, %14, %26, %33, %35) : (tensor<f32>, tensor<8x4x12xf32>, tensor<2xf32>, tensor<2xf32>, tensor<8xf32>, tensor<1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}]>}], function_type = (tensor<8xf32>) -> tensor<8xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}]>}], sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%37: tensor<8xf32>):
    %38 = "stablehlo.tanh"(%37) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %39 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<f32>) -> tensor<8xf32>
    %41 = "stablehlo.add"(%38, %40) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %42 = "sdy.reshard"(%41) <{sharding = #sdy.sharding<@mesh, [{"b":(1)2}]>}> : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%42) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}], function_type = (tensor<4xf32>) -> tensor<4xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}], sym_name = "f1", sym_visibility = "private"}> ({
  ^bb0(%43: tensor<4xf32>):
    %44 = "stablehlo.tanh"(%43) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
    %45 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %46 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<f32>) -> tensor<4xf32>
    %47 = "stablehlo.add"(%44, %46) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %48 = "sdy.reshard"(%47) <{sharding = #sdy.sharding<@mesh, [{"b"}]>}> : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%48) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
