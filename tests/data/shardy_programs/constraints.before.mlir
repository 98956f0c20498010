"builtin.module"() <{sym_name = "constraints"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4, "one"=1]>, sym_name = "mesh"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4, "one"=1]>, sym_name = "same"}> : () -> ()
  "func.func"() <{function_type = (tensor<8x16xf32>, tensor<8x35xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x35xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x35xf32>):
    %0 = "stablehlo.sine"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"a", "one"}, {}]>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "sdy.sharding_constraint"(%1) <{sharding = #sdy.sharding<@same, [{}, {"b"}]>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.add"(%0, %2) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = "stablehlo.tanh"(%arg1) : (tensor<8x35xf32>) -> tensor<8x35xf32>
    %5 = "sdy.sharding_constraint"(%4) <{sharding = #sdy.sharding<mesh<["c"=8]>, [{"c"}, {}]>}> : (tensor<8x35xf32>) -> tensor<8x35xf32>
    %6 = "sdy.sharding_constraint"(%3) <{sharding = #sdy.sharding<@mesh, [{"a"}, {?}], replicated={"b"}>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%6, %3, %5) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x35xf32>) -> ()
  }) : () -> ()
}) : () -> ()
