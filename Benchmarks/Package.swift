// swift-tools-version: 6.2
import PackageDescription

let benchmark = Target.Dependency.product(name: "Benchmark", package: "benchmark")
let plugin = Target.PluginUsage.plugin(name: "BenchmarkPlugin", package: "benchmark")

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ModelKit", path: ".."),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "FieldBenchmarks",
            dependencies: [
                benchmark,
                .product(name: "ModelKit", package: "ModelKit"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            path: "Benchmarks/FieldBenchmarks",
            plugins: [plugin]
        ),
        .executableTarget(
            name: "ModelBenchmarks",
            dependencies: [benchmark, .product(name: "ModelKit", package: "ModelKit")],
            path: "Benchmarks/ModelBenchmarks",
            plugins: [plugin]
        ),
        .executableTarget(
            name: "PromiseBenchmarks",
            dependencies: [
                benchmark,
                .product(name: "ModelKit", package: "ModelKit"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Benchmarks/PromiseBenchmarks",
            plugins: [plugin]
        ),
        .executableTarget(
            name: "StoreBenchmarks",
            dependencies: [
                benchmark,
                .product(name: "ModelKit", package: "ModelKit"),
                .product(name: "ModelKitREST", package: "ModelKit"),
                .product(name: "ModelKitServer", package: "ModelKit"),
                .product(name: "ModelKitSQL", package: "ModelKit"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Benchmarks/StoreBenchmarks",
            plugins: [plugin]
        ),
        .executableTarget(
            name: "PostgreSQLBenchmarks",
            dependencies: [
                "Libpq",
                benchmark,
                .product(name: "ModelKit", package: "ModelKit"),
                .product(name: "ModelKitPostgreSQL", package: "ModelKit"),
            ],
            path: "Benchmarks/PostgreSQLBenchmarks",
            plugins: [plugin]
        ),
        .target(
            name: "Libpq",
            dependencies: [.product(name: "ModelKitPostgreSQL", package: "ModelKit")],
            path: "Checks/Libpq"
        ),
        .executableTarget(
            name: "PostgreSQLWriters",
            dependencies: [
                "Libpq",
                .product(name: "ModelKit", package: "ModelKit"),
                .product(name: "ModelKitPostgreSQL", package: "ModelKit"),
            ],
            path: "Checks/PostgreSQLWriters"
        ),
        .executableTarget(
            name: "Allocations",
            dependencies: [
                "AllocationCounter",
                .product(name: "ModelKit", package: "ModelKit"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            path: "Checks/Allocations"
        ),
        .target(name: "AllocationCounter", path: "Checks/AllocationCounter"),
        .executableTarget(
            name: "AttackStrings",
            dependencies: [.product(name: "ModelKit", package: "ModelKit")],
            path: "Checks/AttackStrings"
        ),
        .executableTarget(
            name: "SharedValues",
            dependencies: [.product(name: "ModelKit", package: "ModelKit")],
            path: "Checks/SharedValues"
        ),
    ],
    swiftLanguageModes: [.v6]
)
