"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], function_type = (tensor<4x3x1xf32>, tensor<2xf32>, tensor<1x1xf32>, tensor<6xf32>) -> (tensor<2xf32>, tensor<6x1xf32>, tensor<4x3x1xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<4x3x1xf32>, %1: tensor<2xf32>, %2: tensor<1x1xf32>, %3: tensor<6xf32>):
    %4 = "sdy.manual_computation"(%2) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}> ({
    ^bb0(%5: tensor<1x1xf32>):
      %6 = "stablehlo.tanh"(%5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>, x = 1 : i64} : (tensor<1x1xf32>) -> tensor<1x1xf32>
      %7 = "stablehlo.add"(%6, %5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>, x = 1 : i64} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      "sdy.return"(%7) : (tensor<1x1xf32>) -> ()
    }) : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %8 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.dynamic_slice"(%0, %8, %8, %8) <{slice_sizes = array<i64: 4, 3, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(2)2}, {}, {}]>]>} : (tensor<4x3x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x3x1xf32>
    %10 = "stablehlo.multiply"(%1, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %11 = "func.call"(%3) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %12 = "stablehlo.reshape"(%11) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}, {}]>]>} : (tensor<6xf32>) -> tensor<6x1xf32>
    %13 = "stablehlo.reshape"(%3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %14 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.reduce"(%4, %14) <{dimensions = array<i64: 0>}> ({
    ^bb0(%16: tensor<f32>, %17: tensor<f32>):
      %18 = "stablehlo.add"(%16, %17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%18) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<1x1xf32>, tensor<f32>) -> tensor<1xf32>
    %19 = "stablehlo.abs"(%9) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(2)2}, {}, {}]>]>} : (tensor<4x3x1xf32>) -> tensor<4x3x1xf32>
    %20 = "func.call"(%11) <{callee = @f1}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %21 = "func.call"(%20) <{callee = @f1_0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %22 = "stablehlo.add"(%13, %13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %23 = "stablehlo.multiply"(%15, %15) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %24:2 = "stablehlo.while"(%8, %21) ({
    ^bb0(%25: tensor<i32>, %26: tensor<6xf32>):
      %27 = "stablehlo.compare"(%25, %25) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%27) : (tensor<i1>) -> ()
    }, {
    ^bb0(%28: tensor<i32>, %29: tensor<6xf32>):
      %30 = "stablehlo.exponential"(%29) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
      %31 = "stablehlo.add"(%30, %21) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%28, %31) : (tensor<i32>, tensor<6xf32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"b", "a"}]>]>} : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    %32 = "sdy.reshard"(%15) <{sharding = #sdy.sharding<@mesh, [{"b":(2)2}]>}> : (tensor<1xf32>) -> tensor<1xf32>
    %33 = "sdy.reshard"(%21) <{sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    %34 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<f32>) -> tensor<1xf32>
    %36 = "stablehlo.subtract"(%23, %35) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %37 = "stablehlo.transpose"(%24#1) <{permutation = array<i64: 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %38 = "stablehlo.multiply"(%37, %33) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %39 = "sdy.reshard"(%37) <{sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    %40 = "sdy.reshard"(%38) <{sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    %41:2 = "stablehlo.while"(%8, %38) ({
    ^bb0(%42: tensor<i32>, %43: tensor<6xf32>):
      %44 = "stablehlo.compare"(%42, %42) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%44) : (tensor<i1>) -> ()
    }, {
    ^bb0(%45: tensor<i32>, %46: tensor<6xf32>):
      %47 = "stablehlo.abs"(%46) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
      %48 = "stablehlo.add"(%47, %38) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%45, %48) : (tensor<i32>, tensor<6xf32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"b", "a"}]>]>} : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    "func.return"(%10, %12, %19, %22, %32, %36) : (tensor<2xf32>, tensor<6x1xf32>, tensor<4x3x1xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], function_type = (tensor<6xf32>) -> tensor<6xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%49: tensor<6xf32>):
    %50 = "stablehlo.tanh"(%49) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %51 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %52 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}]>]>} : (tensor<f32>) -> tensor<6xf32>
    %53 = "stablehlo.add"(%50, %52) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %54 = "sdy.reshard"(%53) <{sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%54) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], function_type = (tensor<6xf32>) -> tensor<6xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}]>}], sym_name = "f1", sym_visibility = "private"}> ({
  ^bb0(%55: tensor<6xf32>):
    %56 = "stablehlo.tanh"(%55) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %57 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %58 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}]>]>} : (tensor<f32>) -> tensor<6xf32>
    %59 = "stablehlo.add"(%56, %58) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %60 = "sdy.reshard"(%59) <{sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%60) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}]>}], function_type = (tensor<6xf32>) -> tensor<6xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}]>}], sym_name = "f1_0", sym_visibility = "private"}> ({
  ^bb0(%61: tensor<6xf32>):
    %62 = "stablehlo.tanh"(%61) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %63 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<f32>) -> tensor<6xf32>
    %65 = "stablehlo.add"(%62, %64) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %66 = "sdy.reshard"(%65) <{sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%66) : (tensor<6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
