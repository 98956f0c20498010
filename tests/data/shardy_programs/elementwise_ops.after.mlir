"builtin.module"() <{sym_name = "elementwise_ops"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}], function_type = (tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi1>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi1>, tensor<8x16xcomplex<f32>>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>), res_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {}, {}, {}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<8x16xf32>, %1: tensor<8x16xi32>, %2: tensor<8x16xi1>, %3: tensor<8x16xcomplex<f32>>, %4: tensor<8x16xf32>, %5: tensor<8x16xi32>, %6: tensor<8x16xi1>, %7: tensor<8x16xcomplex<f32>>):
    %8 = "stablehlo.abs"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %9 = "stablehlo.add"(%8, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %10 = "stablehlo.add"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %11 = "stablehlo.add"(%10, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %12 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%13: tensor<f32>, %14: tensor<f32>):
      %15 = "stablehlo.add"(%13, %14) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%15) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %16 = "stablehlo.add"(%12, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %17 = "stablehlo.and"(%1, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %18 = "stablehlo.add"(%17, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %19 = "stablehlo.atan2"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %20 = "stablehlo.add"(%19, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %21 = "stablehlo.cbrt"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %22 = "stablehlo.add"(%21, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %23 = "stablehlo.ceil"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %24 = "stablehlo.add"(%23, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %25 = "stablehlo.count_leading_zeros"(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>) -> tensor<8x16xi32>
    %26 = "stablehlo.add"(%25, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %27 = "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %28 = "stablehlo.add"(%27, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %29 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %30 = "stablehlo.add"(%29, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %31 = "stablehlo.compare"(%0, %0) <{comparison_direction = #stablehlo<comparison_direction LT>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
    %32 = "stablehlo.add"(%31, %6) : (tensor<8x16xi1>, tensor<8x16xi1>) -> tensor<8x16xi1>
    %33 = "stablehlo.complex"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xcomplex<f32>>
    %34 = "stablehlo.add"(%33, %7) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xcomplex<f32>>, tensor<8x16xcomplex<f32>>) -> tensor<8x16xcomplex<f32>>
    %35 = "stablehlo.convert"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %36 = "stablehlo.add"(%35, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %37 = "stablehlo.cosine"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %38 = "stablehlo.add"(%37, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %39 = "stablehlo.cross-replica-sum"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %40 = "stablehlo.add"(%39, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %41 = "stablehlo.divide"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %42 = "stablehlo.add"(%41, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %43 = "stablehlo.exponential"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %44 = "stablehlo.add"(%43, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %45 = "stablehlo.exponential_minus_one"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %46 = "stablehlo.add"(%45, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %47 = "stablehlo.floor"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %48 = "stablehlo.add"(%47, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %49 = "stablehlo.imag"(%3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xcomplex<f32>>) -> tensor<8x16xf32>
    %50 = "stablehlo.add"(%49, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %51 = "stablehlo.is_finite"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xi1>
    %52 = "stablehlo.add"(%51, %6) : (tensor<8x16xi1>, tensor<8x16xi1>) -> tensor<8x16xi1>
    %53 = "stablehlo.log_plus_one"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %54 = "stablehlo.add"(%53, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %55 = "stablehlo.log"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %56 = "stablehlo.add"(%55, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %57 = "stablehlo.logistic"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %58 = "stablehlo.add"(%57, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %59 = "stablehlo.maximum"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %60 = "stablehlo.add"(%59, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %61 = "stablehlo.minimum"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %62 = "stablehlo.add"(%61, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %63 = "stablehlo.multiply"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %64 = "stablehlo.add"(%63, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %65 = "stablehlo.negate"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %66 = "stablehlo.add"(%65, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %67 = "stablehlo.not"(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>) -> tensor<8x16xi32>
    %68 = "stablehlo.add"(%67, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %69 = "stablehlo.or"(%1, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %70 = "stablehlo.add"(%69, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %71 = "stablehlo.popcnt"(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>) -> tensor<8x16xi32>
    %72 = "stablehlo.add"(%71, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %73 = "stablehlo.power"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %74 = "stablehlo.add"(%73, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %75 = "stablehlo.real"(%3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xcomplex<f32>>) -> tensor<8x16xf32>
    %76 = "stablehlo.add"(%75, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %77 = "stablehlo.reduce_precision"(%0) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %78 = "stablehlo.add"(%77, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %79 = "stablehlo.remainder"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %80 = "stablehlo.add"(%79, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %81 = "stablehlo.round_nearest_even"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %82 = "stablehlo.add"(%81, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %83 = "stablehlo.round_nearest_afz"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %84 = "stablehlo.add"(%83, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %85 = "stablehlo.rsqrt"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %86 = "stablehlo.add"(%85, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %87 = "stablehlo.shift_left"(%1, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %88 = "stablehlo.add"(%87, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %89 = "stablehlo.shift_right_arithmetic"(%1, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %90 = "stablehlo.add"(%89, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %91 = "stablehlo.shift_right_logical"(%1, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %92 = "stablehlo.add"(%91, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %93 = "stablehlo.sign"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %94 = "stablehlo.add"(%93, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %95 = "stablehlo.sine"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %96 = "stablehlo.add"(%95, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %97 = "stablehlo.sqrt"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %98 = "stablehlo.add"(%97, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %99 = "stablehlo.subtract"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %100 = "stablehlo.add"(%99, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %101 = "stablehlo.tan"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %102 = "stablehlo.add"(%101, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %103 = "stablehlo.tanh"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %104 = "stablehlo.add"(%103, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %105 = "stablehlo.xor"(%1, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %106 = "stablehlo.add"(%105, %5) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %107 = "stablehlo.clamp"(%0, %0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %108 = "stablehlo.add"(%107, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %109 = "stablehlo.select"(%2, %0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %110 = "stablehlo.add"(%109, %4) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%9, %11, %16, %18, %20, %22, %24, %26, %28, %30, %32, %34, %36, %38, %40, %42, %44, %46, %48, %50, %52, %54, %56, %58, %60, %62, %64, %66, %68, %70, %72, %74, %76, %78, %80, %82, %84, %86, %88, %90, %92, %94, %96, %98, %100, %102, %104, %106, %108, %110) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
