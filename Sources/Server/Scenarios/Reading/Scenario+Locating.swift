import JSON

extension ScenarioErrors {
    /// A mistake that was found after reading, such as by planting the data, with its line and column.
    ///
    /// - Parameters:
    ///   - path: the value's, as in ``Mistake/path``; where the file lacks a part of it, the place is the rest's.
    ///   - message: the sentence, which is put behind the path.
    ///   - text: the scenario's file; where it has no tree, the mistake has no line.
    ///   - file: what the file is called in messages.
    public init(path: String, message: String, in text: String, file: String?) {
        let position = (try? TreeBuilder.tree(ofYAML: Array(text.utf8))).flatMap { $0.position(at: path) }
        self.init(
            file: file,
            mistakes: [
                Mistake(
                    line: position?.line, column: position?.column, path: path,
                    message: path.isEmpty ? message : "\(path): \(message)")
            ])
    }
}

extension Node {
    /// Where the value with a path stands: its key, else itself, else the nearest one around it.
    fileprivate func position(at path: String) -> Position? {
        var node = self
        var position = node.position
        for step in path.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
            switch node.content {
            case .mapping(let members):
                guard let member = members.first(where: { $0.key == step }) else { return position }
                node = member.value
                position = member.keyPosition ?? node.position
            case .list(let elements):
                guard let index = Int(step), elements.indices.contains(index) else { return position }
                node = elements[index]
                position = node.position
            case .null, .plain, .text: return position
            }
        }
        return position
    }
}
