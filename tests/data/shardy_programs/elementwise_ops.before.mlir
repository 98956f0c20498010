"builtin.module"() <{sym_name = "elementwise_ops"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}], function_type = (tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi1>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi1>, tensor<8x16xcomplex<f32>>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xi32>, %arg2: tensor<8x16xi1>, %arg3: tensor<8x16xcomplex<f32>>, %arg4: tensor<8x16xf32>, %arg5: tensor<8x16xi32>, %arg6: tensor<8x16xi1>, %arg7: tensor<8x16xcomplex<f32>>):
    %0 = "stablehlo.abs"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "stablehlo.add"(%0, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "stablehlo.add"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.add"(%2, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %100 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%100) : (tensor<f32>) -> ()
    }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %5 = "stablehlo.add"(%4, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %6 = "stablehlo.and"(%arg1, %arg1) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %7 = "stablehlo.add"(%6, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %8 = "stablehlo.atan2"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %9 = "stablehlo.add"(%8, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %10 = "stablehlo.cbrt"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %11 = "stablehlo.add"(%10, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %12 = "stablehlo.ceil"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %13 = "stablehlo.add"(%12, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %14 = "stablehlo.count_leading_zeros"(%arg1) : (tensor<8x16xi32>) -> tensor<8x16xi32>
    %15 = "stablehlo.add"(%14, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %16 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %17 = "stablehlo.add"(%16, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %18 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %19 = "stablehlo.add"(%18, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %20 = "stablehlo.compare"(%arg0, %arg0) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
    %21 = "stablehlo.add"(%20, %arg6) : (tensor<8x16xi1>, tensor<8x16xi1>) -> tensor<8x16xi1>
    %22 = "stablehlo.complex"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xcomplex<f32>>
    %23 = "stablehlo.add"(%22, %arg7) : (tensor<8x16xcomplex<f32>>, tensor<8x16xcomplex<f32>>) -> tensor<8x16xcomplex<f32>>
    %24 = "stablehlo.convert"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %25 = "stablehlo.add"(%24, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %26 = "stablehlo.cosine"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %27 = "stablehlo.add"(%26, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %28 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %29 = "stablehlo.add"(%28, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %30 = "stablehlo.divide"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %31 = "stablehlo.add"(%30, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %32 = "stablehlo.exponential"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %33 = "stablehlo.add"(%32, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %34 = "stablehlo.exponential_minus_one"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %35 = "stablehlo.add"(%34, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %36 = "stablehlo.floor"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %37 = "stablehlo.add"(%36, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %38 = "stablehlo.imag"(%arg3) : (tensor<8x16xcomplex<f32>>) -> tensor<8x16xf32>
    %39 = "stablehlo.add"(%38, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %40 = "stablehlo.is_finite"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xi1>
    %41 = "stablehlo.add"(%40, %arg6) : (tensor<8x16xi1>, tensor<8x16xi1>) -> tensor<8x16xi1>
    %42 = "stablehlo.log_plus_one"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %43 = "stablehlo.add"(%42, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %44 = "stablehlo.log"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %45 = "stablehlo.add"(%44, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %46 = "stablehlo.logistic"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %47 = "stablehlo.add"(%46, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %48 = "stablehlo.maximum"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %49 = "stablehlo.add"(%48, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %50 = "stablehlo.minimum"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %51 = "stablehlo.add"(%50, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %52 = "stablehlo.multiply"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %53 = "stablehlo.add"(%52, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %54 = "stablehlo.negate"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %55 = "stablehlo.add"(%54, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %56 = "stablehlo.not"(%arg1) : (tensor<8x16xi32>) -> tensor<8x16xi32>
    %57 = "stablehlo.add"(%56, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %58 = "stablehlo.or"(%arg1, %arg1) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %59 = "stablehlo.add"(%58, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %60 = "stablehlo.popcnt"(%arg1) : (tensor<8x16xi32>) -> tensor<8x16xi32>
    %61 = "stablehlo.add"(%60, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %62 = "stablehlo.power"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %63 = "stablehlo.add"(%62, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %64 = "stablehlo.real"(%arg3) : (tensor<8x16xcomplex<f32>>) -> tensor<8x16xf32>
    %65 = "stablehlo.add"(%64, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %66 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %67 = "stablehlo.add"(%66, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %68 = "stablehlo.remainder"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %69 = "stablehlo.add"(%68, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %70 = "stablehlo.round_nearest_even"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %71 = "stablehlo.add"(%70, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %72 = "stablehlo.round_nearest_afz"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %73 = "stablehlo.add"(%72, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %74 = "stablehlo.rsqrt"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %75 = "stablehlo.add"(%74, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %76 = "stablehlo.shift_left"(%arg1, %arg1) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %77 = "stablehlo.add"(%76, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %78 = "stablehlo.shift_right_arithmetic"(%arg1, %arg1) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %79 = "stablehlo.add"(%78, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %80 = "stablehlo.shift_right_logical"(%arg1, %arg1) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %81 = "stablehlo.add"(%80, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %82 = "stablehlo.sign"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %83 = "stablehlo.add"(%82, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %84 = "stablehlo.sine"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %85 = "stablehlo.add"(%84, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %86 = "stablehlo.sqrt"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %87 = "stablehlo.add"(%86, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %88 = "stablehlo.subtract"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %89 = "stablehlo.add"(%88, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %90 = "stablehlo.tan"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %91 = "stablehlo.add"(%90, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %92 = "stablehlo.tanh"(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %93 = "stablehlo.add"(%92, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %94 = "stablehlo.xor"(%arg1, %arg1) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %95 = "stablehlo.add"(%94, %arg5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %96 = "stablehlo.clamp"(%arg0, %arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %97 = "stablehlo.add"(%96, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %98 = "stablehlo.select"(%arg2, %arg0, %arg0) : (tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %99 = "stablehlo.add"(%98, %arg4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33, %35, %37, %39, %41, %43, %45, %47, %49, %51, %53, %55, %57, %59, %61, %63, %65, %67, %69, %71, %73, %75, %77, %79, %81, %83, %85, %87, %89, %91, %93, %95, %97, %99) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
