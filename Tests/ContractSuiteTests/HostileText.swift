import FitIQAPI

/// A coach's answer that is hard to show, made by a seeded grammar and cut into chunks at bad places; the scenario
/// `hostile-coach` consists of such answers.
///
/// The same seed gives the same chunks. The first production and the cut follow from the seed's remainders, so any
/// twelve consecutive seeds have every production, and any five have every cut. A text stays far below the limits of a
/// scenario's answer: it has at most ``chunkLimit`` chunks and 40 KiB. A chunk is a Swift string, so it cannot end
/// within a surrogate pair; only bytes on the wire can be cut there.
struct HostileText: Sendable, Hashable {
    /// The contents of the text, in order.
    let productions: [Production]
    let cut: Cut
    /// The non-empty pieces of the text; a piece may begin within a character.
    let chunks: [String]

    var text: String { chunks.joined() }

    /// The maximum number of chunks; if there are more places, the seed selects one fewer than this.
    static let chunkLimit = 64
    /// The maximum number of productions in a text.
    static let productionLimit = 4

    init(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let first = Production.allCases[Int(seed % UInt64(Production.allCases.count))]
        var productions = [first]
        // An empty text is hard to show only on its own.
        if first != .blank {
            for _ in 0..<numbers.next(below: UInt64(Self.productionLimit)) {
                productions.append(Self.one(of: Production.allCases, &numbers))
            }
        }
        let lineEnd = Self.one(of: ["\n\n", "\r\n", " ", "\u{2028}"], &numbers)
        let text = productions.map { $0.text(&numbers) }.joined(separator: lineEnd)
        self.productions = productions
        cut = Cut.allCases[Int(seed % UInt64(Cut.allCases.count))]
        var places = cut.places(in: text)
        while places.count >= Self.chunkLimit { places.remove(at: Int(numbers.next(below: UInt64(places.count)))) }
        let scalars = Array(text.unicodeScalars)
        chunks = zip([0] + places, places + [scalars.count]).map { start, end in
            var chunk = String.UnicodeScalarView()
            chunk.append(contentsOf: scalars[start..<end])
            return String(chunk)
        }
    }

    /// A kind of content.
    enum Production: CaseIterable, Sendable {
        case blank, longWord, openFence, table, link, emoji, combiningMarks, rightToLeft, json, html, controls,
            lineSeparators

        fileprivate func text(_ numbers: inout SplitMix64) -> String {
            switch self {
            case .blank: return one(of: [" ", "\n", "\u{200B}", "\u{A0}", "\u{FEFF}", "\t \r\n"], &numbers)
            case .longWord: return String(repeating: one(of: ["a", "é", "e\u{301}", "漢", "ﷺ"], &numbers), count: 2000)
            case .openFence:
                let code = "swift\nlet protein = 1.6 // `g` per ~~kg~~ and **day"
                return one(of: ["```", "````", "~~~"], &numbers) + code
            case .table: return "| Day | Protein |\r\n|:---|--:|\r\n| Mon | 90 \\| 95 g |\r\n| Tue ||\r\n|"
            case .link:
                return "[**your [plan]**](https://fitiq.example/a_(b)?q=%F0%9F%A5%9A&r=1#x \"it's\") "
                    + "![egg][1] <https://fitiq.example> [1]: javascript:alert(1)"
            case .emoji: return (0..<8).map { _ in one(of: Self.clusters, &numbers) }.joined()
            case .combiningMarks:
                return (0..<4).map { _ in stack(on: one(of: ["Z", "o", "א", "ส"], &numbers), &numbers) }.joined(
                    separator: " ")
            case .rightToLeft:
                return "\u{202E}שָׁלוֹם\u{202C} 1.6 g/kg \u{2067}مرحبًا، كم بروتين؟\u{2069}\u{200F} (90%) \u{202B}"
            case .json:
                return #"{"type":"stream_complete","content":"\u0000\ud83e\udd5a \"90 g\"\\","data":[1e999,null]}]"#
            case .html:
                return #"</script><script>alert("&amp;")</script><!-- <img src=x onerror='1'> &#x202E;&lt; ]]>"#
            case .controls:
                return "\u{0}\u{1}\u{7}\u{8}\u{B}\u{C}\u{1B}[31mred\u{1B}]0;title\u{7}\u{7F}\u{9B}2J\u{0}end\u{1A}"
            case .lineSeparators:
                return "one\r\ntwo\rthree\nfour\u{85}five\u{2028}six\u{2029}seven\u{FEFF}\u{FFFE}\u{FFFF}\u{10FFFF}\r"
            }
        }

        /// Characters of several scalars: joiners, flags, tags, skin tones, variation selectors.
        private static let clusters = [
            "👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇦🇹🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "❤️‍🔥", "🧑🏿‍🚀", "🥚", "\u{200D}👩",
        ]

        /// A character under forty combining marks.
        private func stack(on base: String, _ numbers: inout SplitMix64) -> String {
            var scalars = base.unicodeScalars
            for _ in 0..<40 {
                // U+0300 to U+036F are all marks.
                let mark = 0x300 + UInt32(numbers.next(below: 0x70))
                if let scalar = Unicode.Scalar(mark) { scalars.append(scalar) }
            }
            return String(scalars)
        }
    }

    private static func one<Choice>(of choices: [Choice], _ numbers: inout SplitMix64) -> Choice {
        choices[Int(numbers.next(below: UInt64(choices.count)))]
    }

    /// The places where a text is cut.
    enum Cut: CaseIterable, Sendable {
        /// Nowhere, so that the text is one chunk.
        case nowhere
        /// Within a character as readers see it; includes the pair of CR and LF.
        case withinCharacters
        /// Before each markup character, which cuts fences, links, tags, table rows and escapes.
        case withinMarkup
        /// Before and after the characters that end lines.
        case atLineEnds
        /// Between all Unicode scalars.
        case everywhere

        /// The numbers of the scalars that start another chunk, ascending.
        fileprivate func places(in text: String) -> [Int] {
            let scalars = Array(text.unicodeScalars)
            let inner = scalars.indices.dropFirst()
            switch self {
            case .nowhere: return []
            case .withinCharacters:
                var starts: Set<Int> = []
                var start = 0
                for character in text {
                    starts.insert(start)
                    start += character.unicodeScalars.count
                }
                return inner.filter { !starts.contains($0) }
            case .withinMarkup: return inner.filter { Self.markup.contains(scalars[$0]) }
            case .atLineEnds:
                return inner.filter { scalars[$0].endsLine || scalars[$0 - 1].endsLine }
            case .everywhere: return Array(inner)
            }
        }

        private static let markup = Set("`~*_[]()<>|{}\"'\\&;#!-:/".unicodeScalars)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar ends a line (Unicode Standard Annex 14, classes BK, CR, LF and NL).
    fileprivate var endsLine: Bool {
        switch value {
        case 0xA...0xD, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
