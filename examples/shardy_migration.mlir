"builtin.module"() <{sym_name = "conflict"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}], function_type = (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xf32>, %arg1: tensor<16x64xf32>):
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %1 = "stablehlo.tanh"(%0) : (tensor<16x64xf32>) -> tensor<16x64xf32>
    "func.return"(%1) : (tensor<16x64xf32>) -> ()
  }) : () -> ()
}) : () -> ()
