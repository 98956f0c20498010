"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}, {name = "c", size = 3 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}]>}], function_type = (tensor<12x8x12xf32>, tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<1x8x6x48xf32>, tensor<1x8x6x48xf32>, tensor<2x4x2xf32>, tensor<16x8x6x48xf32>, tensor<1x16x6x48xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}, {"c"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"b"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<12x8x12xf32>, %1: tensor<2x2x2xf32>):
    %2 = "stablehlo.negate"(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}, {}, {"b"}]>]>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %3 = "sdy.reshard"(%1) <{sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}, {"b"}]>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %4 = "sdy.reshard"(%3) <{sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}, {"b"}]>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %5 = "stablehlo.reshape"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}, {"b"}]>]>} : (tensor<12x8x12xf32>) -> tensor<1x8x3x48xf32>
    %6 = "sdy.manual_computation"(%1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {}]>]>, manual_axes = #sdy<manual_axes{"c"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>}> ({
    ^bb0(%7: tensor<2x2x2xf32>):
      %8 = "stablehlo.tanh"(%7) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {}]>]>, x = 1 : i64} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
      %9 = "stablehlo.add"(%8, %7) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {}]>]>, x = 1 : i64} : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
      "sdy.return"(%9) : (tensor<2x2x2xf32>) -> ()
    }) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %10 = "stablehlo.concatenate"(%5, %5) <{dimension = 2 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}, {"b"}]>]>} : (tensor<1x8x3x48xf32>, tensor<1x8x3x48xf32>) -> tensor<1x8x6x48xf32>
    %11 = "sdy.propagation_barrier"(%2) <{allowed_direction = 2 : i32, sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}]>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %12 = "stablehlo.maximum"(%10, %10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}, {"b"}]>]>} : (tensor<1x8x6x48xf32>, tensor<1x8x6x48xf32>) -> tensor<1x8x6x48xf32>
    %13 = "stablehlo.sine"(%10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}, {"b"}]>]>} : (tensor<1x8x6x48xf32>) -> tensor<1x8x6x48xf32>
    %14 = "stablehlo.exponential"(%10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}, {"b"}]>]>} : (tensor<1x8x6x48xf32>) -> tensor<1x8x6x48xf32>
    %15 = "stablehlo.concatenate"(%10, %10) <{dimension = 1 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}, {}, {"b", "a"}]>]>} : (tensor<1x8x6x48xf32>, tensor<1x8x6x48xf32>) -> tensor<1x16x6x48xf32>
    %16 = "stablehlo.tanh"(%11) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {"b"}]>]>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %17 = "stablehlo.concatenate"(%11, %16) <{dimension = 1 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {"b"}]>]>} : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x4x2xf32>
    %18 = "sdy.manual_computation"(%11) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {"b"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {"b"}]>]>}> ({
    ^bb0(%19: tensor<1x2x2xf32>):
      %20 = "stablehlo.tanh"(%19) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}, {"b"}]>]>, x = 1 : i64} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
      %21 = "stablehlo.add"(%20, %19) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}, {"b"}]>]>, x = 1 : i64} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
      "sdy.return"(%21) : (tensor<1x2x2xf32>) -> ()
    }) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %22 = "sdy.reshard"(%18) <{sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}, {"b"}]>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %23 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}, {"c"}]>]>} : (tensor<1x8x6x48xf32>) -> tensor<16x8x6x48xf32>
    %24 = "sdy.reshard"(%15) <{sharding = #sdy.sharding<@mesh, [{}, {"c"}, {}, {"b", "a"}]>}> : (tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    %25 = "sdy.propagation_barrier"(%15) <{allowed_direction = 1 : i32, sharding = #sdy.sharding<@mesh, [{}, {"c"}, {}, {"b", "a"}]>}> : (tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    %26 = "sdy.reshard"(%25) <{sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"b", "a"}]>}> : (tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    %27 = "stablehlo.multiply"(%24, %24) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}, {}, {"b", "a"}]>]>} : (tensor<1x16x6x48xf32>, tensor<1x16x6x48xf32>) -> tensor<1x16x6x48xf32>
    "func.return"(%6, %12, %14, %17, %23, %27) : (tensor<2x2x2xf32>, tensor<1x8x6x48xf32>, tensor<1x8x6x48xf32>, tensor<2x4x2xf32>, tensor<16x8x6x48xf32>, tensor<1x16x6x48xf32>) -> ()
  }) : () -> ()
}) : () -> ()
