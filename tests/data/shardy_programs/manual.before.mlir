"builtin.module"() <{sym_name = "manual"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4, "c"=2]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, {}], function_type = (tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>):
    %0 = "stablehlo.sine"(%arg1) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1:2 = "sdy.manual_computation"(%arg0, %0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{"a"}, {"c"}]>]>, manual_axes = #sdy<manual_axes{"c", "a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{"a"}, {?}]>]>}> ({
    ^bb0(%arg2: tensor<4x16xf32>, %arg3: tensor<4x8xf32>):
      %3 = "stablehlo.tanh"(%arg2) : (tensor<4x16xf32>) -> tensor<4x16xf32>
      %4 = "stablehlo.concatenate"(%arg3, %arg3) <{dimension = 1 : i64}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
      %5 = "stablehlo.add"(%3, %4) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
      "sdy.return"(%3, %5) : (tensor<4x16xf32>, tensor<4x16xf32>) -> ()
    }) : (tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
    %2 = "stablehlo.multiply"(%1#0, %1#1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%2, %1#1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
