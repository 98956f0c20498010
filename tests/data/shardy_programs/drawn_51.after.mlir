"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}, {name = "c", size = 3 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}], function_type = (tensor<4xf32>, tensor<6xf32>, tensor<16x8xf32>, tensor<8x12x6xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<4xf32>, %1: tensor<6xf32>, %2: tensor<16x8xf32>, %3: tensor<8x12x6xf32>):
    %4 = "sdy.reshard"(%0) <{sharding = #sdy.sharding<@mesh, [{"c"}]>}> : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.add"(%2, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %6 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%1, %6) <{dimensions = array<i64: 0>}> ({
    ^bb0(%8: tensor<f32>, %9: tensor<f32>):
      %10 = "stablehlo.add"(%8, %9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%10) : (tensor<f32>) -> ()
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %11 = "stablehlo.sine"(%5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %12 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13:2 = "stablehlo.while"(%12, %5) ({
    ^bb0(%14: tensor<i32>, %15: tensor<16x8xf32>):
      %16 = "stablehlo.compare"(%14, %14) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%16) : (tensor<i1>) -> ()
    }, {
    ^bb0(%17: tensor<i32>, %18: tensor<16x8xf32>):
      %19 = "stablehlo.abs"(%18) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %20 = "stablehlo.add"(%19, %5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
      "stablehlo.return"(%17, %20) : (tensor<i32>, tensor<16x8xf32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"a"}, {"b"}]>]>} : (tensor<i32>, tensor<16x8xf32>) -> (tensor<i32>, tensor<16x8xf32>)
    %21 = "stablehlo.sine"(%5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %22 = "stablehlo.maximum"(%13#1, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %23 = "sdy.manual_computation"(%13#1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>}> ({
    ^bb0(%24: tensor<8x8xf32>):
      %25 = "stablehlo.tanh"(%24) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>, x = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %26 = "stablehlo.add"(%25, %24) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>, x = 1 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      "sdy.return"(%26) : (tensor<8x8xf32>) -> ()
    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %27 = "sdy.manual_computation"(%13#1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>, manual_axes = #sdy<manual_axes{"b"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>}> ({
    ^bb0(%28: tensor<16x4xf32>):
      %29 = "stablehlo.tanh"(%28) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, x = 1 : i64} : (tensor<16x4xf32>) -> tensor<16x4xf32>
      %30 = "stablehlo.add"(%29, %28) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, x = 1 : i64} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
      "sdy.return"(%30) : (tensor<16x4xf32>) -> ()
    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %31 = "stablehlo.multiply"(%23, %21) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %32 = "stablehlo.slice"(%23) <{limit_indices = array<i64: 8, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<16x8xf32>) -> tensor<8x8xf32>
    "func.return"(%4, %7, %11, %22, %31, %32) : (tensor<4xf32>, tensor<f32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
