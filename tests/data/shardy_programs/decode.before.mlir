"builtin.module"() <{sym_name = "jit_f08_prefill"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}, {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}], function_type = (tensor<1024x256xbf16>, tensor<4x256xbf16>, tensor<4x256xbf16>, tensor<4x256x512xbf16>, tensor<4x512x256xbf16>, tensor<4x256x4x32xbf16>, tensor<4x8x32x256xbf16>, tensor<4x256x8x32xbf16>, tensor<4x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<16x128xi32>) -> (tensor<16x128x1024xf32>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['k']"}, {jax.result_info = "result[1]['v']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg40: tensor<1024x256xbf16>, %arg41: tensor<4x256xbf16>, %arg42: tensor<4x256xbf16>, %arg43: tensor<4x256x512xbf16>, %arg44: tensor<4x512x256xbf16>, %arg45: tensor<4x256x4x32xbf16>, %arg46: tensor<4x8x32x256xbf16>, %arg47: tensor<4x256x8x32xbf16>, %arg48: tensor<4x256x4x32xbf16>, %arg49: tensor<4x16x256x4x32xbf16>, %arg50: tensor<4x16x256x4x32xbf16>, %arg51: tensor<16x128xi32>):
    %150 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %151 = "stablehlo.broadcast_in_dim"(%150) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<16x128xi32>
    %152 = "stablehlo.compare"(%arg51, %151) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<16x128xi32>, tensor<16x128xi32>) -> tensor<16x128xi1>
    %153 = "stablehlo.constant"() <{value = dense<1024> : tensor<i32>}> : () -> tensor<i32>
    %154 = "stablehlo.broadcast_in_dim"(%153) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<16x128xi32>
    %155 = "stablehlo.add"(%arg51, %154) : (tensor<16x128xi32>, tensor<16x128xi32>) -> tensor<16x128xi32>
    %156 = "stablehlo.select"(%152, %155, %arg51) : (tensor<16x128xi1>, tensor<16x128xi32>, tensor<16x128xi32>) -> tensor<16x128xi32>
    %157 = "stablehlo.broadcast_in_dim"(%156) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x128xi32>) -> tensor<16x128x1xi32>
    %158 = "stablehlo.gather"(%arg40, %157) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 256>}> : (tensor<1024x256xbf16>, tensor<16x128x1xi32>) -> tensor<16x128x256xbf16>
    %159 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %160 = "stablehlo.broadcast_in_dim"(%159) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<4x16x256x4x32xbf16>
    %161 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %162 = "stablehlo.broadcast_in_dim"(%161) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<4x16x256x4x32xbf16>
    %163 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %164:14 = "stablehlo.while"(%arg41, %arg42, %arg43, %arg44, %arg45, %arg46, %arg47, %arg48, %arg49, %arg50, %163, %158, %160, %162) ({
    ^bb0(%arg66: tensor<4x256xbf16>, %arg67: tensor<4x256xbf16>, %arg68: tensor<4x256x512xbf16>, %arg69: tensor<4x512x256xbf16>, %arg70: tensor<4x256x4x32xbf16>, %arg71: tensor<4x8x32x256xbf16>, %arg72: tensor<4x256x8x32xbf16>, %arg73: tensor<4x256x4x32xbf16>, %arg74: tensor<4x16x256x4x32xbf16>, %arg75: tensor<4x16x256x4x32xbf16>, %arg76: tensor<i32>, %arg77: tensor<16x128x256xbf16>, %arg78: tensor<4x16x256x4x32xbf16>, %arg79: tensor<4x16x256x4x32xbf16>):
      %182 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %183 = "stablehlo.compare"(%arg76, %182) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%183) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg52: tensor<4x256xbf16>, %arg53: tensor<4x256xbf16>, %arg54: tensor<4x256x512xbf16>, %arg55: tensor<4x512x256xbf16>, %arg56: tensor<4x256x4x32xbf16>, %arg57: tensor<4x8x32x256xbf16>, %arg58: tensor<4x256x8x32xbf16>, %arg59: tensor<4x256x4x32xbf16>, %arg60: tensor<4x16x256x4x32xbf16>, %arg61: tensor<4x16x256x4x32xbf16>, %arg62: tensor<i32>, %arg63: tensor<16x128x256xbf16>, %arg64: tensor<4x16x256x4x32xbf16>, %arg65: tensor<4x16x256x4x32xbf16>):
      %167 = "func.call"(%arg52, %arg62) <{callee = @dynamic_index_in_dim}> : (tensor<4x256xbf16>, tensor<i32>) -> tensor<256xbf16>
      %168 = "func.call"(%arg53, %arg62) <{callee = @dynamic_index_in_dim}> : (tensor<4x256xbf16>, tensor<i32>) -> tensor<256xbf16>
      %169 = "func.call"(%arg54, %arg62) <{callee = @dynamic_index_in_dim_0}> : (tensor<4x256x512xbf16>, tensor<i32>) -> tensor<256x512xbf16>
      %170 = "func.call"(%arg55, %arg62) <{callee = @dynamic_index_in_dim_1}> : (tensor<4x512x256xbf16>, tensor<i32>) -> tensor<512x256xbf16>
      %171 = "func.call"(%arg56, %arg62) <{callee = @dynamic_index_in_dim_2}> : (tensor<4x256x4x32xbf16>, tensor<i32>) -> tensor<256x4x32xbf16>
      %172 = "func.call"(%arg57, %arg62) <{callee = @dynamic_index_in_dim_3}> : (tensor<4x8x32x256xbf16>, tensor<i32>) -> tensor<8x32x256xbf16>
      %173 = "func.call"(%arg58, %arg62) <{callee = @dynamic_index_in_dim_4}> : (tensor<4x256x8x32xbf16>, tensor<i32>) -> tensor<256x8x32xbf16>
      %174 = "func.call"(%arg59, %arg62) <{callee = @dynamic_index_in_dim_2}> : (tensor<4x256x4x32xbf16>, tensor<i32>) -> tensor<256x4x32xbf16>
      %175 = "func.call"(%arg60, %arg62) <{callee = @dynamic_index_in_dim_5}> : (tensor<4x16x256x4x32xbf16>, tensor<i32>) -> tensor<16x256x4x32xbf16>
      %176 = "func.call"(%arg61, %arg62) <{callee = @dynamic_index_in_dim_5}> : (tensor<4x16x256x4x32xbf16>, tensor<i32>) -> tensor<16x256x4x32xbf16>
      %177:3 = "func.call"(%arg63, %167, %168, %169, %170, %171, %172, %173, %174, %175, %176) <{callee = @closed_call}> : (tensor<16x128x256xbf16>, tensor<256xbf16>, tensor<256xbf16>, tensor<256x512xbf16>, tensor<512x256xbf16>, tensor<256x4x32xbf16>, tensor<8x32x256xbf16>, tensor<256x8x32xbf16>, tensor<256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>) -> (tensor<16x128x256xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>)
      %178 = "func.call"(%arg64, %177#1, %arg62) <{callee = @dynamic_update_index_in_dim}> : (tensor<4x16x256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<i32>) -> tensor<4x16x256x4x32xbf16>
      %179 = "func.call"(%arg65, %177#2, %arg62) <{callee = @dynamic_update_index_in_dim}> : (tensor<4x16x256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<i32>) -> tensor<4x16x256x4x32xbf16>
      %180 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %181 = "stablehlo.add"(%arg62, %180) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg52, %arg53, %arg54, %arg55, %arg56, %arg57, %arg58, %arg59, %arg60, %arg61, %181, %177#0, %178, %179) : (tensor<4x256xbf16>, tensor<4x256xbf16>, tensor<4x256x512xbf16>, tensor<4x512x256xbf16>, tensor<4x256x4x32xbf16>, tensor<4x8x32x256xbf16>, tensor<4x256x8x32xbf16>, tensor<4x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<i32>, tensor<16x128x256xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>) -> ()
    }) : (tensor<4x256xbf16>, tensor<4x256xbf16>, tensor<4x256x512xbf16>, tensor<4x512x256xbf16>, tensor<4x256x4x32xbf16>, tensor<4x8x32x256xbf16>, tensor<4x256x8x32xbf16>, tensor<4x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<i32>, tensor<16x128x256xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>) -> (tensor<4x256xbf16>, tensor<4x256xbf16>, tensor<4x256x512xbf16>, tensor<4x512x256xbf16>, tensor<4x256x4x32xbf16>, tensor<4x8x32x256xbf16>, tensor<4x256x8x32xbf16>, tensor<4x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<i32>, tensor<16x128x256xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>)
    %165 = "stablehlo.dot_general"(%164#11, %arg40) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x128x256xbf16>, tensor<1024x256xbf16>) -> tensor<16x128x1024xbf16>
    %166 = "stablehlo.convert"(%165) : (tensor<16x128x1024xbf16>) -> tensor<16x128x1024xf32>
    "func.return"(%166, %164#12, %164#13) : (tensor<16x128x1024xf32>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x256xbf16>, tensor<i32>) -> tensor<256xbf16>, sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg38: tensor<4x256xbf16>, %arg39: tensor<i32>):
    %147 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %148 = "stablehlo.dynamic_slice"(%arg38, %arg39, %147) <{slice_sizes = array<i64: 1, 256>}> : (tensor<4x256xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x256xbf16>
    %149 = "stablehlo.reshape"(%148) : (tensor<1x256xbf16>) -> tensor<256xbf16>
    "func.return"(%149) : (tensor<256xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x256x512xbf16>, tensor<i32>) -> tensor<256x512xbf16>, sym_name = "dynamic_index_in_dim_0", sym_visibility = "private"}> ({
  ^bb0(%arg36: tensor<4x256x512xbf16>, %arg37: tensor<i32>):
    %143 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %144 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %145 = "stablehlo.dynamic_slice"(%arg36, %arg37, %143, %144) <{slice_sizes = array<i64: 1, 256, 512>}> : (tensor<4x256x512xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x512xbf16>
    %146 = "stablehlo.reshape"(%145) : (tensor<1x256x512xbf16>) -> tensor<256x512xbf16>
    "func.return"(%146) : (tensor<256x512xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x512x256xbf16>, tensor<i32>) -> tensor<512x256xbf16>, sym_name = "dynamic_index_in_dim_1", sym_visibility = "private"}> ({
  ^bb0(%arg34: tensor<4x512x256xbf16>, %arg35: tensor<i32>):
    %139 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %140 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %141 = "stablehlo.dynamic_slice"(%arg34, %arg35, %139, %140) <{slice_sizes = array<i64: 1, 512, 256>}> : (tensor<4x512x256xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x256xbf16>
    %142 = "stablehlo.reshape"(%141) : (tensor<1x512x256xbf16>) -> tensor<512x256xbf16>
    "func.return"(%142) : (tensor<512x256xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x256x4x32xbf16>, tensor<i32>) -> tensor<256x4x32xbf16>, sym_name = "dynamic_index_in_dim_2", sym_visibility = "private"}> ({
  ^bb0(%arg32: tensor<4x256x4x32xbf16>, %arg33: tensor<i32>):
    %134 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %135 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %136 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %137 = "stablehlo.dynamic_slice"(%arg32, %arg33, %134, %135, %136) <{slice_sizes = array<i64: 1, 256, 4, 32>}> : (tensor<4x256x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x4x32xbf16>
    %138 = "stablehlo.reshape"(%137) : (tensor<1x256x4x32xbf16>) -> tensor<256x4x32xbf16>
    "func.return"(%138) : (tensor<256x4x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8x32x256xbf16>, tensor<i32>) -> tensor<8x32x256xbf16>, sym_name = "dynamic_index_in_dim_3", sym_visibility = "private"}> ({
  ^bb0(%arg30: tensor<4x8x32x256xbf16>, %arg31: tensor<i32>):
    %129 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %130 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %131 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %132 = "stablehlo.dynamic_slice"(%arg30, %arg31, %129, %130, %131) <{slice_sizes = array<i64: 1, 8, 32, 256>}> : (tensor<4x8x32x256xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32x256xbf16>
    %133 = "stablehlo.reshape"(%132) : (tensor<1x8x32x256xbf16>) -> tensor<8x32x256xbf16>
    "func.return"(%133) : (tensor<8x32x256xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x256x8x32xbf16>, tensor<i32>) -> tensor<256x8x32xbf16>, sym_name = "dynamic_index_in_dim_4", sym_visibility = "private"}> ({
  ^bb0(%arg28: tensor<4x256x8x32xbf16>, %arg29: tensor<i32>):
    %124 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %125 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %126 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %127 = "stablehlo.dynamic_slice"(%arg28, %arg29, %124, %125, %126) <{slice_sizes = array<i64: 1, 256, 8, 32>}> : (tensor<4x256x8x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x8x32xbf16>
    %128 = "stablehlo.reshape"(%127) : (tensor<1x256x8x32xbf16>) -> tensor<256x8x32xbf16>
    "func.return"(%128) : (tensor<256x8x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x16x256x4x32xbf16>, tensor<i32>) -> tensor<16x256x4x32xbf16>, sym_name = "dynamic_index_in_dim_5", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<4x16x256x4x32xbf16>, %arg27: tensor<i32>):
    %118 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %119 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %120 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %121 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %122 = "stablehlo.dynamic_slice"(%arg26, %arg27, %118, %119, %120, %121) <{slice_sizes = array<i64: 1, 16, 256, 4, 32>}> : (tensor<4x16x256x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x256x4x32xbf16>
    %123 = "stablehlo.reshape"(%122) : (tensor<1x16x256x4x32xbf16>) -> tensor<16x256x4x32xbf16>
    "func.return"(%123) : (tensor<16x256x4x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x128x256xbf16>, tensor<256xbf16>, tensor<256xbf16>, tensor<256x512xbf16>, tensor<512x256xbf16>, tensor<256x4x32xbf16>, tensor<8x32x256xbf16>, tensor<256x8x32xbf16>, tensor<256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>) -> (tensor<16x128x256xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>), sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<16x128x256xbf16>, %arg8: tensor<256xbf16>, %arg9: tensor<256xbf16>, %arg10: tensor<256x512xbf16>, %arg11: tensor<512x256xbf16>, %arg12: tensor<256x4x32xbf16>, %arg13: tensor<8x32x256xbf16>, %arg14: tensor<256x8x32xbf16>, %arg15: tensor<256x4x32xbf16>, %arg16: tensor<16x256x4x32xbf16>, %arg17: tensor<16x256x4x32xbf16>):
    %19 = "stablehlo.convert"(%arg7) : (tensor<16x128x256xbf16>) -> tensor<16x128x256xf32>
    %20 = "stablehlo.convert"(%arg7) : (tensor<16x128x256xbf16>) -> tensor<16x128x256xf32>
    %21 = "chlo.square"(%20) : (tensor<16x128x256xf32>) -> tensor<16x128x256xf32>
    %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.reduce"(%21, %22) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %117 = "stablehlo.add"(%arg24, %arg25) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%117) : (tensor<f32>) -> ()
    }) : (tensor<16x128x256xf32>, tensor<f32>) -> tensor<16x128xf32>
    %24 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x128xf32>) -> tensor<16x128x1xf32>
    %25 = "stablehlo.constant"() <{value = dense<2.560000e+02> : tensor<f32>}> : () -> tensor<f32>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x128x1xf32>
    %27 = "stablehlo.divide"(%24, %26) : (tensor<16x128x1xf32>, tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %28 = "stablehlo.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x128x1xf32>
    %30 = "stablehlo.add"(%27, %29) : (tensor<16x128x1xf32>, tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %31 = "stablehlo.rsqrt"(%30) : (tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %32 = "stablehlo.broadcast_in_dim"(%31) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<16x128x1xf32>) -> tensor<16x128x256xf32>
    %33 = "stablehlo.multiply"(%19, %32) : (tensor<16x128x256xf32>, tensor<16x128x256xf32>) -> tensor<16x128x256xf32>
    %34 = "stablehlo.convert"(%33) : (tensor<16x128x256xf32>) -> tensor<16x128x256xbf16>
    %35 = "stablehlo.broadcast_in_dim"(%arg8) <{broadcast_dimensions = array<i64: 2>}> : (tensor<256xbf16>) -> tensor<1x1x256xbf16>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x256xbf16>) -> tensor<16x128x256xbf16>
    %37 = "stablehlo.multiply"(%34, %36) : (tensor<16x128x256xbf16>, tensor<16x128x256xbf16>) -> tensor<16x128x256xbf16>
    %38 = "stablehlo.dot_general"(%37, %arg14) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x128x256xbf16>, tensor<256x8x32xbf16>) -> tensor<16x128x8x32xbf16>
    %39 = "stablehlo.dot_general"(%37, %arg12) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x128x256xbf16>, tensor<256x4x32xbf16>) -> tensor<16x128x4x32xbf16>
    %40 = "stablehlo.dot_general"(%37, %arg15) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x128x256xbf16>, tensor<256x4x32xbf16>) -> tensor<16x128x4x32xbf16>
    %41 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %42 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %43 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %44 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %45 = "stablehlo.dynamic_update_slice"(%arg16, %39, %41, %42, %43, %44) : (tensor<16x256x4x32xbf16>, tensor<16x128x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x256x4x32xbf16>
    %46 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %47 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %48 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %49 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %50 = "stablehlo.dynamic_update_slice"(%arg17, %40, %46, %47, %48, %49) : (tensor<16x256x4x32xbf16>, tensor<16x128x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x256x4x32xbf16>
    %51 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<256xi32>
    %52 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64: 1>}> : (tensor<256xi32>) -> tensor<1x256xi32>
    %53 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<128xi32>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64: 0>}> : (tensor<128xi32>) -> tensor<128x1xi32>
    %55 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<128x1xi32>
    %57 = "stablehlo.add"(%56, %54) : (tensor<128x1xi32>, tensor<128x1xi32>) -> tensor<128x1xi32>
    %58 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x256xi32>) -> tensor<128x256xi32>
    %59 = "stablehlo.broadcast_in_dim"(%57) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<128x1xi32>) -> tensor<128x256xi32>
    %60 = "stablehlo.compare"(%58, %59) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<128x256xi32>, tensor<128x256xi32>) -> tensor<128x256xi1>
    %61 = "stablehlo.broadcast_in_dim"(%60) <{broadcast_dimensions = array<i64: 3, 4>}> : (tensor<128x256xi1>) -> tensor<1x1x1x128x256xi1>
    %62 = "stablehlo.reshape"(%38) : (tensor<16x128x8x32xbf16>) -> tensor<16x128x4x2x32xbf16>
    %63 = "stablehlo.dot_general"(%45, %62) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x256x4x32xbf16>, tensor<16x128x4x2x32xbf16>) -> tensor<16x4x256x128x2xbf16>
    %64 = "stablehlo.transpose"(%63) <{permutation = array<i64: 0, 1, 4, 3, 2>}> : (tensor<16x4x256x128x2xbf16>) -> tensor<16x4x2x128x256xbf16>
    %65 = "stablehlo.convert"(%64) : (tensor<16x4x2x128x256xbf16>) -> tensor<16x4x2x128x256xf32>
    %66 = "stablehlo.constant"() <{value = dense<5.65685415> : tensor<f32>}> : () -> tensor<f32>
    %67 = "stablehlo.broadcast_in_dim"(%66) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x4x2x128x256xf32>
    %68 = "stablehlo.divide"(%65, %67) : (tensor<16x4x2x128x256xf32>, tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    %69 = "stablehlo.constant"() <{value = dense<-1.000000e+30> : tensor<f32>}> : () -> tensor<f32>
    %70 = "func.call"(%61, %68, %69) <{callee = @_where}> : (tensor<1x1x1x128x256xi1>, tensor<16x4x2x128x256xf32>, tensor<f32>) -> tensor<16x4x2x128x256xf32>
    %71 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %72 = "stablehlo.reduce"(%70, %71) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg22: tensor<f32>, %arg23: tensor<f32>):
      %116 = "stablehlo.maximum"(%arg22, %arg23) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%116) : (tensor<f32>) -> ()
    }) : (tensor<16x4x2x128x256xf32>, tensor<f32>) -> tensor<16x4x2x128xf32>
    %73 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %74 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x4x2x128xf32>
    %75 = "stablehlo.maximum"(%74, %72) : (tensor<16x4x2x128xf32>, tensor<16x4x2x128xf32>) -> tensor<16x4x2x128xf32>
    %76 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<16x4x2x128xf32>) -> tensor<16x4x2x128x1xf32>
    %77 = "stablehlo.broadcast_in_dim"(%76) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<16x4x2x128x1xf32>) -> tensor<16x4x2x128x256xf32>
    %78 = "stablehlo.subtract"(%70, %77) : (tensor<16x4x2x128x256xf32>, tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    %79 = "stablehlo.exponential"(%78) : (tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    %80 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %81 = "stablehlo.reduce"(%79, %80) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %115 = "stablehlo.add"(%arg20, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%115) : (tensor<f32>) -> ()
    }) : (tensor<16x4x2x128x256xf32>, tensor<f32>) -> tensor<16x4x2x128xf32>
    %82 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<16x4x2x128xf32>) -> tensor<16x4x2x128x1xf32>
    %83 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<16x4x2x128x1xf32>) -> tensor<16x4x2x128x256xf32>
    %84 = "stablehlo.divide"(%79, %83) : (tensor<16x4x2x128x256xf32>, tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    %85 = "stablehlo.convert"(%84) : (tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xbf16>
    %86 = "stablehlo.dot_general"(%50, %85) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x256x4x32xbf16>, tensor<16x4x2x128x256xbf16>) -> tensor<16x4x32x2x128xbf16>
    %87 = "stablehlo.transpose"(%86) <{permutation = array<i64: 0, 4, 1, 3, 2>}> : (tensor<16x4x32x2x128xbf16>) -> tensor<16x128x4x2x32xbf16>
    %88 = "stablehlo.reshape"(%87) : (tensor<16x128x4x2x32xbf16>) -> tensor<16x128x8x32xbf16>
    %89 = "stablehlo.dot_general"(%88, %arg13) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x128x8x32xbf16>, tensor<8x32x256xbf16>) -> tensor<16x128x256xbf16>
    %90 = "stablehlo.add"(%arg7, %89) : (tensor<16x128x256xbf16>, tensor<16x128x256xbf16>) -> tensor<16x128x256xbf16>
    %91 = "stablehlo.convert"(%90) : (tensor<16x128x256xbf16>) -> tensor<16x128x256xf32>
    %92 = "stablehlo.convert"(%90) : (tensor<16x128x256xbf16>) -> tensor<16x128x256xf32>
    %93 = "chlo.square"(%92) : (tensor<16x128x256xf32>) -> tensor<16x128x256xf32>
    %94 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %95 = "stablehlo.reduce"(%93, %94) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %114 = "stablehlo.add"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%114) : (tensor<f32>) -> ()
    }) : (tensor<16x128x256xf32>, tensor<f32>) -> tensor<16x128xf32>
    %96 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x128xf32>) -> tensor<16x128x1xf32>
    %97 = "stablehlo.constant"() <{value = dense<2.560000e+02> : tensor<f32>}> : () -> tensor<f32>
    %98 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x128x1xf32>
    %99 = "stablehlo.divide"(%96, %98) : (tensor<16x128x1xf32>, tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %100 = "stablehlo.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %101 = "stablehlo.broadcast_in_dim"(%100) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x128x1xf32>
    %102 = "stablehlo.add"(%99, %101) : (tensor<16x128x1xf32>, tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %103 = "stablehlo.rsqrt"(%102) : (tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %104 = "stablehlo.broadcast_in_dim"(%103) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<16x128x1xf32>) -> tensor<16x128x256xf32>
    %105 = "stablehlo.multiply"(%91, %104) : (tensor<16x128x256xf32>, tensor<16x128x256xf32>) -> tensor<16x128x256xf32>
    %106 = "stablehlo.convert"(%105) : (tensor<16x128x256xf32>) -> tensor<16x128x256xbf16>
    %107 = "stablehlo.broadcast_in_dim"(%arg9) <{broadcast_dimensions = array<i64: 2>}> : (tensor<256xbf16>) -> tensor<1x1x256xbf16>
    %108 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x256xbf16>) -> tensor<16x128x256xbf16>
    %109 = "stablehlo.multiply"(%106, %108) : (tensor<16x128x256xbf16>, tensor<16x128x256xbf16>) -> tensor<16x128x256xbf16>
    %110 = "stablehlo.dot_general"(%109, %arg10) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x128x256xbf16>, tensor<256x512xbf16>) -> tensor<16x128x512xbf16>
    %111 = "func.call"(%110) <{callee = @silu}> : (tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %112 = "stablehlo.dot_general"(%111, %arg11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x128x512xbf16>, tensor<512x256xbf16>) -> tensor<16x128x256xbf16>
    %113 = "stablehlo.add"(%90, %112) : (tensor<16x128x256xbf16>, tensor<16x128x256xbf16>) -> tensor<16x128x256xbf16>
    "func.return"(%113, %45, %50) : (tensor<16x128x256xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1x1x1x128x256xi1>, tensor<16x4x2x128x256xf32>, tensor<f32>) -> tensor<16x4x2x128x256xf32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<1x1x1x128x256xi1>, %arg5: tensor<16x4x2x128x256xf32>, %arg6: tensor<f32>):
    %15 = "stablehlo.convert"(%arg6) : (tensor<f32>) -> tensor<f32>
    %16 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> : (tensor<1x1x1x128x256xi1>) -> tensor<16x4x2x128x256xi1>
    %17 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x4x2x128x256xf32>
    %18 = "stablehlo.select"(%16, %arg5, %17) : (tensor<16x4x2x128x256xi1>, tensor<16x4x2x128x256xf32>, tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    "func.return"(%18) : (tensor<16x4x2x128x256xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>, sym_name = "silu", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<16x128x512xbf16>):
    %6 = "stablehlo.negate"(%arg3) : (tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %7 = "stablehlo.exponential"(%6) : (tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %8 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<16x128x512xbf16>
    %10 = "stablehlo.add"(%9, %7) : (tensor<16x128x512xbf16>, tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %11 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<bf16>) -> tensor<16x128x512xbf16>
    %13 = "stablehlo.divide"(%12, %10) : (tensor<16x128x512xbf16>, tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %14 = "stablehlo.multiply"(%arg3, %13) : (tensor<16x128x512xbf16>, tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    "func.return"(%14) : (tensor<16x128x512xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x16x256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<i32>) -> tensor<4x16x256x4x32xbf16>, sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x16x256x4x32xbf16>, %arg1: tensor<16x256x4x32xbf16>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2, 3, 4>}> : (tensor<16x256x4x32xbf16>) -> tensor<1x16x256x4x32xbf16>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2, %1, %2, %3, %4) : (tensor<4x16x256x4x32xbf16>, tensor<1x16x256x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x256x4x32xbf16>
    "func.return"(%5) : (tensor<4x16x256x4x32xbf16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
