import ModelKitTesting

private func use() -> [String] {
    StoreContract.cases.map(\.description) + TransportContract.cases.map(\.description)
}
