"builtin.module"() <{sym_name = "groups"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}], function_type = (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<8x16xf32>, %arg3: tensor<8x16xf32>):
    "sdy.sharding_group"(%arg0) <{group_id = 7 : i64}> : (tensor<8x16xf32>) -> ()
    "sdy.sharding_group"(%arg1) <{group_id = 7 : i64}> : (tensor<8x16xf32>) -> ()
    %0 = "stablehlo.sine"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "stablehlo.cosine"(%arg1) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "stablehlo.tanh"(%arg2) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "sdy.sharding_group"(%2) <{group_id = 3 : i64}> : (tensor<8x16xf32>) -> ()
    %3 = "stablehlo.negate"(%arg3) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "sdy.sharding_group"(%3) <{group_id = 4 : i64}> : (tensor<8x16xf32>) -> ()
    %4 = "stablehlo.abs"(%2) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "sdy.sharding_group"(%2) <{group_id = 4 : i64}> : (tensor<8x16xf32>) -> ()
    "func.return"(%0, %1, %4) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
