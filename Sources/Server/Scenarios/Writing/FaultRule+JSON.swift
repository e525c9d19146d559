import Faults
import FitIQAPI
import JSON

extension FaultRule {
    /// Writes the members of a fault in a scenario file into the object that is open: read again, it is the same rule.
    public func write(into writer: inout JSONWriter) {
        writer.text("name", name.text)
        writer.member("enabled", isEnabled)
        switch fault {
        case .response(let fault, let endpoints):
            Self.write(endpoints, into: &writer)
            if selection != .all { writer.selection("requests", selection) }
            fault.write(into: &writer)
        case .handshake(let fault):
            writer.member("on", "handshake")
            if selection != .all { writer.selection("connections", selection) }
            fault.write(into: &writer)
        case .socket(let fault, let point):
            writer.member("on", "socket")
            if selection != .all { writer.selection("connections", selection) }
            // What is meant where nothing is said.
            if point != .frames(.all) { writer.object("at") { point.write(into: &$0) } }
            fault.write(into: &writer)
        }
    }

    private static func write(_ endpoints: Set<Endpoint>, into writer: inout JSONWriter) {
        let names = FaultTarget.endpoints.filter { endpoints.contains($0.endpoint) }.map(\.name)
        switch names.count {
        case 0: writer.member("on", "any")
        case 1: writer.member("on", names[0])
        default: writer.array("on") { writer in for name in names { writer.value(name) } }
        }
    }
}

extension SocketPoint {
    fileprivate func write(into writer: inout JSONWriter) {
        switch self {
        case .frames(let selection): writer.selection("frame", selection)
        case .type(let type, let selection):
            writer.member("type", type)
            if selection != .all { writer.selection("n", selection) }
        case .chunks(let selection, let answer):
            writer.selection("chunk", selection)
            writer.member("answer", ifPresent: answer)
        case .byte(let number): writer.member("byte", number)
        }
    }
}

extension JSONWriter {
    /// Writes which of many things are meant, as briefly as a scenario file can say it.
    fileprivate mutating func selection(_ name: StaticString, _ selection: Selection) {
        guard selection.step == 1, selection.perMille == 1000 else {
            object(name) { writer in
                writer.member("from", selection.first)
                writer.member("to", ifPresent: selection.last)
                if selection.step != 1 { writer.member("every", selection.step) }
                if selection.perMille != 1000 { writer.member("per_mille", selection.perMille) }
            }
            return
        }
        guard selection.last != selection.first else { return member(name, selection.first) }
        member(name, "\(selection.first).." + (selection.last.map { "\($0)" } ?? ""))
    }
}
