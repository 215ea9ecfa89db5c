import ModelKitREST
import TestSupport
import Testing

@Suite struct EntityTagTests {
    @Test func `tags of headers are read`() {
        expect(EntityTags("*"), equals: .any)
        expect(EntityTags(" * "), equals: .any)
        expect(EntityTags(#""3""#), equals: .tags([EntityTag(revision: 3)]))
        expect(
            EntityTags(#"W/"a b", , "4" ,"""#),
            equals: nil,
            "a space is no character of a tag"
        )
        expect(
            EntityTags(#"W/"a", , "4" ,"""#),
            equals: .tags([
                EntityTag("a", isWeak: true), EntityTag(revision: 4),
                EntityTag("", isWeak: false),
            ])
        )
        for wrong in [
            "", ",", "3", #""3"#, #"3""#, #""3" "4""#, "**", #"w/"3""#, #"W/3"#, #"*, "3""#,
        ] {
            expect(EntityTags(wrong), equals: nil, "\(wrong)")
        }
    }

    @Test func `only strong tags match where that is asked for`() throws {
        let tags = try #require(EntityTags(#"W/"3", "4""#))
        expect(tags.contains(EntityTag(revision: 3), weakly: true))
        expect(!tags.contains(EntityTag(revision: 3), weakly: false))
        expect(tags.contains(EntityTag(revision: 4), weakly: false))
        expect(!tags.contains(EntityTag(revision: 5), weakly: true))
        expect(EntityTags.any.contains(EntityTag(revision: 5), weakly: false))
    }

    @Test func `a revision is a strong number in its shortest form`() {
        expect(EntityTag(revision: 12).description, equals: #""12""#)
        expect(EntityTag(#""12""#)?.revision, equals: 12)
        for other in [#"W/"12""#, #""012""#, #""+1""#, #""a""#, #""99999999999999999999""#] {
            expect(EntityTag(other) != nil && EntityTag(other)?.revision == nil, "\(other)")
        }
        expect(EntityTag("*"), equals: nil)
        expect(EntityTag(#""1","2""#), equals: nil)
    }
}
