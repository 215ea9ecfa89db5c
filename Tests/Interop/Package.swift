// swift-tools-version: 6.2
import PackageDescription

/// What all tests of REST over sockets need.
let rest: [Target.Dependency] = [
    .product(name: "ModelKitREST", package: "ModelKit"),
    .product(name: "ModelKitStores", package: "ModelKit"),
]

let package = Package(
    name: "Interop",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ModelKit", path: "../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
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
        .target(
            name: "AsyncHTTPClientTransport",
            dependencies: rest + [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "AsyncHTTPClient"
        ),
        .testTarget(
            name: "TransportTests",
            dependencies: rest + [
                "AsyncHTTPClientTransport",
                .product(name: "ModelKitTesting", package: "ModelKit"),
            ],
            path: "TransportTests"
        ),
        .target(
            name: "HummingbirdAdapter",
            dependencies: rest + [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Hummingbird"
        ),
        .executableTarget(
            name: "contacts-server",
            dependencies: rest + [
                "HummingbirdAdapter",
                .product(name: "ModelKit", package: "ModelKit"),
                .product(name: "ModelKitServer", package: "ModelKit"),
                .product(name: "ModelKitSQL", package: "ModelKit"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "ContactsServer"
        ),
        .testTarget(
            name: "HummingbirdTests",
            dependencies: rest + [
                "AsyncHTTPClientTransport", "HummingbirdAdapter",
                .product(name: "ModelKitModels", package: "ModelKit"),
                .product(name: "ModelKitServer", package: "ModelKit"),
                .product(name: "ModelKitSQL", package: "ModelKit"),
                .product(name: "ModelKitTesting", package: "ModelKit"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "HummingbirdTests"
        ),
    ],
    swiftLanguageModes: [.v6]
)
