import JSON
import Scenarios
import Text
import Traffic

enum TrafficTargets {
    /// The text written for a recording's session gives the same again.
    static func har(_ bytes: [UInt8]) {
        guard let file = try? HARFile(reading: bytes) else { return }
        let ours = HAREncoder.file(file.session, creatorVersion: "1")
        guard let recorded = try? HARFile(reading: ours) else { fail("our own file does not read") }
        require(HAREncoder.file(recorded.session, creatorVersion: "1"), is: ours, "our own file again")
    }

    /// Splitting a journal does not change its meaning; an entry is written as it was read.
    static func journal(_ bytes: [UInt8]) {
        let readings = splits(bytes).map(lines)
        require(readings[1].map(\.text), is: readings[0].map(\.text), "in single bytes")
        require(readings[2].map(\.text), is: readings[0].map(\.text), "in pieces")
        for entry in readings[0].compactMap(\.entry) {
            let written = JournalEncoder().encode(entry)
            let again = lines([written[...]])
            require(again.count, is: 1, "lines of one entry: \(String(decoding: written, as: UTF8.self))")
            guard let entry = again[0].entry else { fail("what was written does not read: \(again[0].text)") }
            require(JournalEncoder().encode(entry), is: written, "written again")
        }
    }

    private static func lines(_ pieces: [ArraySlice<UInt8>]) -> [(text: String, entry: JournalEntry?)] {
        var reader = JournalReader()
        var lines: [(text: String, entry: JournalEntry?)] = []
        func drain() {
            while true {
                do throws(Refusal) {
                    guard let line = try reader.next() else { return }
                    let written = JournalEncoder(world: line.world?.text).encode(line.entry)
                    lines.append(("\(line.number) \(String(decoding: written, as: UTF8.self))", line.entry))
                } catch {
                    lines.append(("\(error)", nil))
                }
            }
        }
        for piece in pieces {
            reader.receive(piece)
            drain()
        }
        reader.finish()
        drain()
        return lines
    }

    /// A scenario in YAML and its tree are the same scenario; so is the file written for the tree.
    static func scenario(_ bytes: [UInt8]) {
        guard let (scenario, json) = try? Scenario.readWithJSON(String(decoding: bytes, as: UTF8.self)) else { return }
        guard let ofTree = try? Scenario.read(json: json) else { fail("the tree does not read: \(json)") }
        require(ofTree == scenario, "the tree is another scenario: \(json)")
        guard let ofText = try? Scenario.read(ScenarioDocument.text(json)) else {
            fail("the file does not read: \(json)")
        }
        require(ofText == scenario, "the file is another scenario: \(json)")
    }
}
