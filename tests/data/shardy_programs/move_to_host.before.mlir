"builtin.module"() <{sym_name = "move_to_host"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}], function_type = (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>):
    %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "MoveToHost"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "stablehlo.add"(%0, %arg1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%1) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
