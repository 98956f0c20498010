"builtin.module"() <{sym_name = "constraints"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4, "one"=1]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}, {name = "one", size = 1 : i64}]}} : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["c"=8]>, sym_name = "mesh_0"}> {stablehlo.mesh = {axes = [{name = "c", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh_0, [{"c"}, {}]>}], function_type = (tensor<8x16xf32>, tensor<8x35xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x35xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh_0, [{"c"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x35xf32>):
    %0 = "stablehlo.sine"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "sdy.reshard"(%0) <{sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "sdy.reshard"(%1) <{sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.add"(%2, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = "stablehlo.tanh"(%arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh_0, [{"c"}, {}]>]>} : (tensor<8x35xf32>) -> tensor<8x35xf32>
    %5 = "sdy.reshard"(%4) <{sharding = #sdy.sharding<@mesh_0, [{"c"}, {}]>}> : (tensor<8x35xf32>) -> tensor<8x35xf32>
    %6 = "sdy.reshard"(%3) <{sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%6, %3, %5) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x35xf32>) -> ()
  }) : () -> ()
}) : () -> ()
