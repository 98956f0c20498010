"builtin.module"() <{sym_name = "bitcast_of_one_shape"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}], function_type = (tensor<8x16xf32>, tensor<8x16xi32>) -> tensor<8x16xi32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xi32>):
    %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xi32>
    %1 = "stablehlo.add"(%0, %arg1) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    "func.return"(%1) : (tensor<8x16xi32>) -> ()
  }) : () -> ()
}) : () -> ()
