"builtin.module"() <{sym_name = "chain_without_use"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}], function_type = (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "stablehlo.exponential"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "stablehlo.negate"(%0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.add"(%1, %arg1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%3) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
