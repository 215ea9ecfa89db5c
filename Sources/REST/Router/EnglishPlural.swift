/// The plurals of English nouns, in small letters.
package enum EnglishPlural {
    /// The plural of a noun; of one that is a plural already it is the same.
    package static func of(_ noun: String) -> String {
        if uncountable.contains(noun) || plurals.contains(noun) { return noun }
        if let plural = irregular[noun] { return plural }
        for (singular, plural) in compounds
        where noun.hasSuffix(singular) && !regularInMan.contains(where: noun.hasSuffix) {
            return noun.dropLast(singular.count) + plural
        }
        return noun.isEmpty ? noun : regular(noun)
    }

    /// By the end of the noun.
    private static func regular(_ noun: String) -> String {
        let end = Array(noun.utf8.suffix(2))
        guard let last = end.last else { return noun }
        switch last {
        case UInt8(ascii: "s"):
            // `settings` is a plural, `status`, `analysis` and `address` are none.
            if noun.hasSuffix("sis") || noun.hasSuffix("xis") { return noun.dropLast(2) + "es" }
            let isSingular = ["us", "is", "ss"].contains(where: noun.hasSuffix)
            return isSingular ? noun + "es" : noun
        case UInt8(ascii: "x"), UInt8(ascii: "z"): return noun + "es"
        case UInt8(ascii: "h"):
            return noun.hasSuffix("ch") || noun.hasSuffix("sh") ? noun + "es" : noun + "s"
        case UInt8(ascii: "y"):
            let isVowel = end.count == 2 && "aeiou".utf8.contains(end[0])
            return isVowel && !noun.hasSuffix("quy") ? noun + "s" : noun.dropLast() + "ies"
        default: return noun + "s"
        }
    }

    /// Those that have no plural, or one that is the same.
    private static let uncountable: Set<String> = [
        "advice", "aircraft", "corps", "data", "deer", "equipment", "feedback", "firmware", "fish",
        "furniture", "hardware", "headquarters", "information", "knowledge", "luggage", "means",
        "media", "metadata", "money", "moose", "music", "news", "offspring", "police", "rice",
        "salmon", "series", "sheep", "shrimp", "software", "spacecraft", "species", "staff",
        "swine", "traffic", "trout", "weather",
    ]

    private static let irregular: [String: String] = [
        "alias": "aliases", "appendix": "appendices", "atlas": "atlases", "bacterium": "bacteria",
        "bias": "biases", "buffalo": "buffaloes", "calf": "calves", "canvas": "canvases",
        "criterion": "criteria", "curriculum": "curricula", "datum": "data", "die": "dice",
        "echo": "echoes", "elf": "elves", "embargo": "embargoes", "epoch": "epochs", "gas": "gases",
        "goose": "geese", "half": "halves", "hero": "heroes", "index": "indices", "knife": "knives",
        "leaf": "leaves", "lens": "lenses", "life": "lives", "loaf": "loaves",
        "matriarch": "matriarchs", "matrix": "matrices", "medium": "media", "monarch": "monarchs",
        "ox": "oxen", "patriarch": "patriarchs", "phenomenon": "phenomena", "plus": "pluses",
        "potato": "potatoes", "quiz": "quizzes", "scarf": "scarves", "self": "selves",
        "shelf": "shelves", "stimulus": "stimuli", "stomach": "stomachs", "stratum": "strata",
        "thief": "thieves", "tomato": "tomatoes", "torpedo": "torpedoes", "tooth": "teeth",
        "vertex": "vertices", "veto": "vetoes", "wife": "wives", "wolf": "wolves",
    ]

    private static let plurals =
        Set(irregular.values).union(["people", "children", "men", "women", "feet", "mice"])

    /// Ends of nouns, which words are joined with.
    private static let compounds = [
        ("person", "people"), ("child", "children"), ("man", "men"), ("foot", "feet"),
        ("mouse", "mice"),
    ]

    /// Those that only end like `man`.
    private static let regularInMan: Set<String> = [
        "caiman", "german", "human", "norman", "ottoman", "roman", "shaman", "talisman",
    ]
}

extension KeyCase {
    /// The plural of a name of a type.
    func plural(of name: String) -> String {
        let words = KeyCase.snake.key(for: name)
        let start = words.lastIndex(of: "_").map(words.index(after:)) ?? words.startIndex
        return key(for: words[..<start] + EnglishPlural.of(String(words[start...])))
    }
}
