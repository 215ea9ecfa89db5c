// swift-tools-version: 6.2
import PackageDescription

// The layers, lowest first. A target may import only the targets named in its line.
let package = Package(
    name: "ModelKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ModelKit", targets: ["ModelKit"]),
        .library(name: "ModelKitFields", targets: ["ModelKitFields"]),
        .library(name: "ModelKitModels", targets: ["ModelKitModels"]),
        .library(name: "ModelKitForms", targets: ["ModelKitForms"]),
        .library(name: "ModelKitJSONSchema", targets: ["ModelKitJSONSchema"]),
        .library(name: "ModelKitStores", targets: ["ModelKitStores"]),
        .library(name: "ModelKitSQL", targets: ["ModelKitSQL"]),
        .library(name: "ModelKitPostgreSQL", targets: ["ModelKitPostgreSQL"]),
        .library(name: "ModelKitREST", targets: ["ModelKitREST"]),
        .library(name: "ModelKitServer", targets: ["ModelKitServer"]),
        .library(name: "ModelKitTesting", targets: ["ModelKitTesting"]),
        .executable(name: "contacts", targets: ["contacts"]),
    ],
    targets: [
        .target(name: "ModelKitEssentials", path: "Sources/Essentials"),
        .target(
            name: "ModelKitValues",
            dependencies: ["ModelKitEssentials"],
            path: "Sources/Values",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitPromises",
            dependencies: ["ModelKitEssentials", "ModelKitValues"],
            path: "Sources/Promises",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitFields",
            dependencies: ["ModelKitEssentials", "ModelKitValues"],
            path: "Sources/Fields",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitModels",
            dependencies: ["ModelKitEssentials", "ModelKitValues", "ModelKitFields"],
            path: "Sources/Models",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitForms",
            dependencies: [
                "ModelKitEssentials", "ModelKitValues", "ModelKitFields", "ModelKitModels",
            ],
            path: "Sources/Forms",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitJSONSchema",
            dependencies: [
                "ModelKitEssentials", "ModelKitValues", "ModelKitFields", "ModelKitModels",
                "ModelKitForms",
            ],
            path: "Sources/JSONSchema",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitStores",
            dependencies: [
                "ModelKitEssentials", "ModelKitValues", "ModelKitPromises", "ModelKitFields",
                "ModelKitModels",
            ],
            path: "Sources/Stores",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitSQL",
            dependencies: [
                "ModelKitEssentials", "ModelKitValues", "ModelKitPromises", "ModelKitFields",
                "ModelKitModels", "ModelKitStores",
            ],
            path: "Sources/SQL",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitPostgreSQL",
            dependencies: [
                "ModelKitEssentials", "ModelKitValues", "ModelKitPromises", "ModelKitFields",
                "ModelKitModels", "ModelKitStores", "ModelKitSQL",
            ],
            path: "Sources/PostgreSQL",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitREST",
            dependencies: [
                "ModelKitEssentials", "ModelKitValues", "ModelKitPromises", "ModelKitFields",
                "ModelKitModels", "ModelKitStores",
            ],
            path: "Sources/REST",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKitServer",
            dependencies: [
                "ModelKitEssentials", "ModelKitValues", "ModelKitPromises", "ModelKitFields",
                "ModelKitModels", "ModelKitStores", "ModelKitREST",
            ],
            path: "Sources/Server",
            exclude: ["README.md"]
        ),
        .target(
            name: "ModelKit",
            dependencies: ["ModelKitFields", "ModelKitModels", "ModelKitForms", "ModelKitStores"],
            path: "Sources/ModelKit"
        ),
        .target(
            name: "ModelKitTesting",
            dependencies: [
                "ModelKitEssentials", "ModelKitValues", "ModelKitPromises", "ModelKitFields",
                "ModelKitModels", "ModelKitForms", "ModelKitStores", "ModelKitREST",
            ],
            path: "Sources/Testing",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "contacts",
            dependencies: [
                "ModelKit", "ModelKitJSONSchema", "ModelKitREST", "ModelKitSQL",
                "ModelKitPostgreSQL",
            ],
            path: "Sources/Contacts",
            exclude: ["Sample"]
        ),
        // In C, as Swift runs nothing before `main`.
        .target(name: "TestWidth", path: "Tests/Width"),
        .target(name: "TestSupport", dependencies: ["TestWidth"], path: "Tests/Support"),
        .target(
            name: "ScriptSupport",
            dependencies: [
                "TestSupport", "ModelKitFields", "ModelKitModels", "ModelKitStores",
            ],
            path: "Tests/RelationScript"
        ),
        .target(
            name: "PostgreSQLSupport",
            dependencies: ["ModelKitFields", "ModelKitPostgreSQL"],
            path: "Tests/PostgreSQLSupport"
        ),
        .testTarget(name: "FieldsTests", dependencies: ["TestSupport", "ModelKitFields"]),
        .testTarget(
            name: "ModelsTests",
            dependencies: [
                "TestSupport", "ModelKitFields", "ModelKitModels", "ModelKitForms",
                "ModelKitJSONSchema",
            ]
        ),
        .testTarget(
            name: "StoresTests",
            dependencies: [
                "ScriptSupport", "TestSupport", "ModelKitFields", "ModelKitModels", "ModelKitForms",
                "ModelKitStores",
                "ModelKitTesting",
            ]
        ),
        .testTarget(
            name: "SQLTests",
            dependencies: [
                "ScriptSupport", "TestSupport", "crash", "ModelKitFields", "ModelKitModels",
                "ModelKitForms",
                "ModelKitStores",
                "ModelKitSQL", "ModelKitTesting",
            ]
        ),
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: [
                "PostgreSQLSupport", "ScriptSupport", "TestSupport", "crash", "ModelKit",
                "ModelKitFields", "ModelKitModels", "ModelKitForms", "ModelKitPromises",
                "ModelKitStores", "ModelKitSQL", "ModelKitPostgreSQL", "ModelKitTesting",
            ]
        ),
        .testTarget(
            name: "RESTTests",
            dependencies: [
                "ScriptSupport", "TestSupport", "ModelKitFields", "ModelKitModels", "ModelKitForms",
                "ModelKitStores",
                "ModelKitREST", "ModelKitServer", "ModelKitSQL", "ModelKitTesting",
            ]
        ),
        .testTarget(
            name: "LabTests",
            dependencies: [
                "TestSupport", "ModelKitFields", "ModelKitModels", "ModelKitStores", "ModelKitREST",
            ]
        ),
        .testTarget(name: "SeedTests", dependencies: ["TestSupport", "ModelKit", "ModelKitREST"]),
        .testTarget(
            name: "ArticleTests",
            dependencies: [
                "ModelKit", "ModelKitJSONSchema", "ModelKitREST", "ModelKitServer", "ModelKitSQL",
                "ModelKitPostgreSQL", "ModelKitTesting",
            ]
        ),
        .executableTarget(
            name: "readme-example",
            dependencies: ["ModelKit", "ModelKitSQL"],
            path: "Tests/ReadmeExample"
        ),
        .executableTarget(
            name: "crash",
            dependencies: ["ModelKit", "ModelKitSQL", "ModelKitPostgreSQL"],
            path: "Tests/Crash"
        ),
        .executableTarget(
            name: "stories",
            dependencies: [
                "ModelKit", "ModelKitJSONSchema", "ModelKitSQL", "ModelKitPostgreSQL",
                "ModelKitREST", "ModelKitServer",
            ],
            path: "Tests/Stories"
        ),
        .testTarget(
            name: "ContactsTests",
            dependencies: [
                "PostgreSQLSupport", "TestSupport", "contacts", "readme-example", "ModelKit",
                "ModelKitPostgreSQL",
                "ModelKitREST",
                "ModelKitServer",
                "ModelKitSQL",
            ]
        ),
        .testTarget(
            name: "Spellings",
            dependencies: ["ModelKit"],
            path: "Tests/Spellings/Nonisolated"
        ),
        .testTarget(
            name: "MainActorSpellings",
            dependencies: ["ModelKit"],
            path: "Tests/Spellings/MainActor"
        ),
    ]
        + [
            "ModelKit", "ModelKitFields", "ModelKitModels", "ModelKitForms", "ModelKitJSONSchema",
            "ModelKitStores", "ModelKitSQL", "ModelKitPostgreSQL", "ModelKitREST", "ModelKitServer",
            "ModelKitTesting",
        ]
        .map { product in
            // Compiled alone: what a product is made of can be used by who imports that product.
            .testTarget(
                name: "\(product)Alone",
                dependencies: [.byName(name: product)],
                path: "Tests/Products/\(product)"
            )
        },
    swiftLanguageModes: [.v6]
)

// Where only some tests are to be run, as under sanitizers.
if let names = Context.environment["MODELKIT_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
    // Where everything is checked, and not where a newer compiler may know more warnings.
    if Context.environment["MODELKIT_STRICT"] != nil {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
    if target.name == "MainActorSpellings" {
        target.swiftSettings?.append(.defaultIsolation(MainActor.self))
    }
    // Tests of the optimised libraries, which are built as users get them: only the tests are not
    // optimised, as that takes minutes, and only the example program and the store in PostgreSQL can be seen into.
    if Context.environment["MODELKIT_RELEASE_TESTS"] != nil {
        if ["contacts", "ModelKitPostgreSQL"].contains(target.name) {
            target.swiftSettings?.append(.unsafeFlags(["-enable-testing"]))
        } else if target.type == .test {
            target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
        }
    }
}
