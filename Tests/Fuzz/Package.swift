// swift-tools-version: 6.2
import PackageDescription

// Built by .ci/fuzz only: libFuzzer brings its own main function.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ModelKit", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "ModelKitFields", package: "ModelKit"),
                .product(name: "ModelKitModels", package: "ModelKit"),
            ],
            path: "Sources",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]
        )
    ],
    swiftLanguageModes: [.v6]
)
