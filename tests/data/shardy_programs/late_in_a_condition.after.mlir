"builtin.module"() <{sym_name = "late_in_a_condition"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}], function_type = (tensor<8x16xf32>, tensor<8xf32>) -> tensor<8x16xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<8x16xf32>, %1: tensor<8xf32>):
    %2 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.while"(%0) ({
    ^bb0(%4: tensor<8x16xf32>):
      %5 = "stablehlo.tanh"(%4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %6 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %7 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%8: tensor<f32>, %9: tensor<f32>):
        %10 = "stablehlo.add"(%8, %9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%10) : (tensor<f32>) -> ()
      }) : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
      %11 = "stablehlo.compare"(%7, %2) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%11) : (tensor<i1>) -> ()
    }, {
    ^bb0(%12: tensor<8x16xf32>):
      %13 = "stablehlo.negate"(%12) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      "stablehlo.return"(%13) : (tensor<8x16xf32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %14 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8xf32>) -> tensor<8x16xf32>
    %15 = "stablehlo.add"(%14, %3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%15) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
