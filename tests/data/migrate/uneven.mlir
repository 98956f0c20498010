"builtin.module"() <{sym_name = "uneven"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], function_type = (tensor<8x6xf32>) -> tensor<8x6xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x6xf32>):
    %0 = "stablehlo.negate"(%arg0) : (tensor<8x6xf32>) -> tensor<8x6xf32>
    "func.return"(%0) : (tensor<8x6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
