"builtin.module"() <{sym_name = "kernel"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, {}], function_type = (tensor<8x128x512xf32>, tensor<512xf32>) -> tensor<8x128x512xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%x: tensor<8x128x512xf32>, %scale: tensor<512xf32>):
    %normed = "stablehlo.custom_call"(%x, %scale) <{call_target_name = "rms_norm"}> : (tensor<8x128x512xf32>, tensor<512xf32>) -> tensor<8x128x512xf32>
    %result = "stablehlo.tanh"(%normed) : (tensor<8x128x512xf32>) -> tensor<8x128x512xf32>
    "func.return"(%result) : (tensor<8x128x512xf32>) -> ()
  }) : () -> ()
}) : () -> ()
