"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=4, "one"=1, "b"=2]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 4 : i64}, {name = "one", size = 1 : i64}, {name = "b", size = 2 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}], function_type = (tensor<6xf32>, tensor<16x12x6xf32>, tensor<8x4xf32>) -> (tensor<3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<6xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<6xf32>, %1: tensor<16x12x6xf32>, %2: tensor<8x4xf32>):
    %3 = "stablehlo.multiply"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %4 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5:2 = "stablehlo.while"(%4, %0) ({
    ^bb0(%6: tensor<i32>, %7: tensor<6xf32>):
      %8 = "stablehlo.compare"(%6, %6) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%8) : (tensor<i1>) -> ()
    }, {
    ^bb0(%9: tensor<i32>, %10: tensor<6xf32>):
      %11 = "stablehlo.exponential"(%10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
      %12 = "stablehlo.add"(%11, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%9, %12) : (tensor<i32>, tensor<6xf32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"b"}]>]>} : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    %13 = "stablehlo.slice"(%5#1) <{limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>) -> tensor<3xf32>
    %14 = "stablehlo.add"(%5#1, %5#1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %15 = "stablehlo.reverse"(%5#1) <{dimensions = array<i64: 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %16 = "stablehlo.multiply"(%5#1, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %17 = "stablehlo.maximum"(%5#1, %15) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %18 = "stablehlo.subtract"(%13, %13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %19 = "stablehlo.maximum"(%14, %15) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %20 = "stablehlo.multiply"(%14, %5#1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %21 = "stablehlo.reverse"(%16) <{dimensions = array<i64: 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %22 = "stablehlo.reshape"(%17) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<6xf32>) -> tensor<3x2xf32>
    %23 = "stablehlo.dynamic_slice"(%21, %4) <{slice_sizes = array<i64: 3>}> : (tensor<6xf32>, tensor<i32>) -> tensor<3xf32>
    %24 = "stablehlo.dynamic_update_slice"(%21, %23, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6xf32>
    %25:2 = "stablehlo.while"(%4, %19) ({
    ^bb0(%26: tensor<i32>, %27: tensor<6xf32>):
      %28 = "stablehlo.compare"(%26, %26) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%28) : (tensor<i1>) -> ()
    }, {
    ^bb0(%29: tensor<i32>, %30: tensor<6xf32>):
      %31 = "stablehlo.sine"(%30) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
      %32 = "stablehlo.add"(%31, %19) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %33 = "sdy.reshard"(%32) <{sharding = #sdy.sharding<@mesh, [{"b"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%29, %33) : (tensor<i32>, tensor<6xf32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"b"}]>]>} : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    %34 = "stablehlo.multiply"(%20, %3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %35 = "stablehlo.multiply"(%21, %3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %36 = "stablehlo.sine"(%22) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %37 = "stablehlo.reshape"(%35) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<6xf32>) -> tensor<2x3xf32>
    %38 = "stablehlo.tanh"(%36) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %39 = "stablehlo.tanh"(%25#1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%18, %24, %34, %37, %38, %39) : (tensor<3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
