// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Interop",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ModelKit", path: "../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .target(
            name: "FieldPublishers",
            dependencies: [
                .product(name: "ModelKitFields", package: "ModelKit"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            path: "OpenCombine"
        ),
        .testTarget(
            name: "OpenCombineTests",
            dependencies: [
                "FieldPublishers",
                .product(name: "ModelKitFields", package: "ModelKit"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            path: "OpenCombineTests"
        ),
    ],
    swiftLanguageModes: [.v6]
)
