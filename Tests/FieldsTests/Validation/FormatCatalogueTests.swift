import ModelKitFields
import Testing

/// The formats by their tables of text that is of them and text that is not.
struct FormatCatalogueTests {
    @Test(arguments: [
        TextSample(
            code: "hostname",
            rule: .hostname,
            message: "must be a valid host name",
            constraint: .format("hostname"),
            passing: [
                "localhost", "example.com", "a", "1", "a-b.c", "xn--4gbwdl.xn--wgbh1c", "1.2.3.4a",
                "1.2.3.a4", "1.2.3.0-0",
                String(repeating: "a", count: 63) + ".b", String(repeating: "a.", count: 126) + "a",
            ],
            failing: [
                "", ".", "a.", ".a", "a..b", "-a", "a-", "a.-b", "a_b", "a b", "é", "a\n",
                String(repeating: "a", count: 64), String(repeating: "a.", count: 126) + "ab",
                "1.2.3.4", "256.256.256.256", "a.1",
            ]
        ),
        TextSample(
            code: "ipv4",
            rule: .ipv4,
            message: "must be a valid IPv4 address",
            constraint: .format("ipv4"),
            passing: ["0.0.0.0", "127.0.0.1", "255.255.255.255"],
            failing: [
                "", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.4\n", "1.2.3.4/8",
                "1.2.3.", "1..3.4", "0x7f.0.0.1", "1.2.3.４", " 1.2.3.4", "-1.2.3.4",
            ]
        ),
        TextSample(
            code: "ipv6",
            rule: .ipv6,
            message: "must be a valid IPv6 address",
            constraint: .format("ipv6"),
            passing: [
                "::", "::1", "1::", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "A::f",
            ],
            failing: [
                "", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "::g",
                "fe80::1%eth0", "[::1]", "::1\n", "1:2:3:4:5:6:7::8", "::256.1.1.1", "1:", ":1",
            ]
        ),
        TextSample(
            code: "cidr",
            rule: .cidr,
            message: "must be a valid address block",
            constraint: .opaque,
            passing: [
                "10.0.0.0/8", "1.2.3.4/0", "1.2.3.4/32", "::/0", "2001:db8::/128", "::1.2.3.4/33",
            ],
            failing: [
                "", "/", "/8", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "::/1000",
                "10.0.0.0/08", "10.0.0.0/00", "10.0.0.0/8/8", "10.0.0/8", "10.0.0.0/8\n", "::g/8",
                "10.0.0.0/-1", "10.0.0.0/255.0.0.0",
            ]
        ),
    ])
    func `names and addresses of hosts`(sample: TextSample) {
        sample.check()
    }

    @Test(arguments: [
        TextSample(
            code: "time",
            rule: .time,
            message: "must be a valid time (hh:mm:ss with an offset)",
            constraint: .format("time"),
            passing: [
                "00:00:00Z", "23:59:59z", "12:30:00.5Z", "12:30:00.123456789012+01:00",
                "12:30:00-23:59", "23:59:60Z", "15:59:60-08:00", "01:29:60+01:30", "00:00:00+00:00",
                "23:59:60.5Z",
            ],
            failing: [
                "", "12:30:00", "12:30Z", "24:00:00Z", "12:60:00Z", "12:30:61Z", "12:30:60Z",
                "23:59:60+01:00", "22:59:60Z", "12:30:00.Z", "12:30:00+1:00", "12:30:00+24:00",
                "12:30:00+01:60", "12:30:00+0100", "12:30:00 Z", "12:30:00Z\n", "1:30:00Z",
                "12:30:00,5Z", "１2:30:00Z", "12:30:00Z+01:00", "-12:30:00Z",
            ]
        ),
        TextSample(
            code: "dateTime",
            rule: .dateTime,
            message: "must be a valid date and time (yyyy-MM-ddThh:mm:ss with an offset)",
            constraint: .format("date-time"),
            passing: [
                "2024-02-29T12:30:00Z", "1985-04-12t23:20:50.52z", "1990-12-31T15:59:60-08:00",
                "0000-01-01T00:00:00+00:00", "1998-12-31T23:59:60Z", "2024-02-29T23:59:60Z",
                "2024-03-31T15:59:60.5-08:00", "2024-07-01T01:29:60+01:30",
            ],
            failing: [
                "", "2024-02-29", "2023-02-29T12:30:00Z", "2024-02-29 12:30:00Z",
                "2024-02-29T12:30:00", "2024-02-29T24:00:00Z", "2024-02-29TT12:30:00Z",
                "2024-02-29T12:30:00Z\n", "20240229T123000Z", "2024-02-10T23:59:60Z",
                "2024-02-28T23:59:60Z", "2024-03-31T15:59:60+08:00", "2024-07-01T23:59:60Z",
                "2024-06-30T01:29:60+01:30", "2024-06-30T23:58:60Z",
            ]
        ),
        TextSample(
            code: "duration",
            rule: .duration,
            message: "must be a valid duration",
            constraint: .format("duration"),
            passing: [
                "P4DT12H30M5S", "P3Y6M4DT12H30M5S", "P1Y", "P1Y2M", "P2M1D", "PT0S", "P4W", "PT36H",
                "PT1M", "P1DT12H", "P0D", "p1y2m3dt4h5m6s", "p4w", "PT99999999999999999999999S",
            ],
            failing: [
                "", "P", "PT", "P1", "1D", "P1DT", "PT1D", "P1H", "P2D1Y", "P1Y2D", "PT1H2S",
                "P1W2D", "P1Y2W", "P4WT1H", "PT0.5S", "P-1D", "-P1D", "P1\u{24}", "P1D ", "P1D\n",
                "P１Y",
                "PT1HT1M", "P1YY",
            ]
        ),
    ])
    func `times and durations`(sample: TextSample) {
        sample.check()
    }

    @Test(arguments: [
        TextSample(
            code: "e164",
            rule: .e164,
            message: "must be a valid phone number",
            constraint: .pattern(#"^\+[1-9][0-9]{1,14}$"#),
            passing: ["+4930123456", "+12", "+123456789012345"],
            failing: [
                "", "+", "+1", "4930123456", "+04930123456", "+1234567890123456", "+49 30", "+1２",
            ]
        ),
        TextSample(
            code: "base64",
            rule: .base64,
            message: "must be valid Base 64",
            passing: ["", "Zg==", "Zm8=", "Zm9v", "+/+/", "Zh=="],
            failing: [
                "Z", "Zg", "Zm9", "Zg=", "Z===", "====", "Zg==Zg==", "Zm-_", "Zm9v\n", "Zm 9",
                "=Zg=",
            ]
        ),
        TextSample(
            code: "jsonPointer",
            rule: .jsonPointer,
            message: "must be a valid JSON Pointer",
            constraint: .format("json-pointer"),
            passing: ["", "/", "//", "/a/0", "/a~1b", "/m~0n", "/é/ ", "/a%b", #"/"\"#],
            failing: ["a", "a/b", "/~", "/~2", "/a~", "/~ 0", "#/a", "~0"]
        ),
    ])
    func `codes and versions`(sample: TextSample) {
        sample.check()
    }
}
