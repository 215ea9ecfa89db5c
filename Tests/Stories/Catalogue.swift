import ModelKit

final class Item: Model {
    let id = Field<String>()
    let title = Field<String>().require(.notBlank)
    let tags = ModelField<Tag>(foreignKey: true)*

    init() { linkFields() }
}

final class Tag: Model {
    let id = Field<String>()
    let name = Field<String>().require(.notBlank).unique()
    let items = ModelField<Item>(inverse: \.tags)*

    init() { linkFields() }
}

enum CatalogueStory {
    static func run(_ phase: String, _ arguments: [String]) async throws {
        guard let place = arguments.first else { throw Usage() }
        let rest = Array(arguments.dropFirst())
        let opened = try OpenedStore(place)
        let store = opened.store
        switch phase {
        case "make":
            let tags = ["red", "green", "blue"].map { name in
                let tag = Tag()
                tag.id.value = name
                tag.name.value = name
                return tag
            }
            _ = try await store.create(tags).value
            let items = (0..<12).map { number in
                let item = Item()
                item.id.value = "i\(number)"
                item.title.value = "Item \(number)"
                item.tags.value = tags.enumerated().filter { number % ($0.offset + 2) == 0 }.map(
                    \.element
                )
                return item
            }
            _ = try await store.create(items).value
        case "tagged" where rest.count == 1:
            let tag = try await store.lookup(Tag.self, identifier: rest[0]).value
            let items = try await store.load(tag, \.items).value
            say(items.compactMap(\.id.value).sorted().joined(separator: " "))
        case "untag" where rest.count == 2:
            let item = try await store.lookup(Item.self, identifier: rest[0]).value
            item.tags.value?.removeAll { $0.id.value == rest[1] }
            _ = try await store.update(item).value
        case "delete" where rest.count == 1:
            // Whose items are not loaded.
            let tag = try await store.lookup(Tag.self, identifier: rest[0]).value
            _ = try await store.delete(tag).value
        default: throw Usage()
        }
        try await opened.close()
    }
}
