/// Declares members that an example cannot show, by path: `data.items[].notes`.
extension Shape {
    /// This shape with members that may be absent.
    package func optional(_ paths: String...) -> Shape {
        paths.reduce(self) { shape, path in shape.changing(path) { $0.isOptional = true } }
    }

    /// This shape with members that are required even though they are optional in the guide's model.
    package func requiring(_ paths: String...) -> Shape {
        paths.reduce(self) { shape, path in shape.changing(path) { $0.isOptional = false } }
    }

    /// This shape with members that may be `null`.
    package func nullable(_ paths: String...) -> Shape {
        paths.reduce(self) { shape, path in
            shape.changing(path) { member in
                if case .nullable = member.shape { return }
                member.shape = .nullable(member.shape)
            }
        }
    }

    /// This shape with a different shape for some members.
    package func with(_ shape: Shape, at paths: String...) -> Shape {
        paths.reduce(self) { whole, path in whole.changing(path) { $0.shape = shape } }
    }

    /// Changes the member at a path; a path that leads nowhere is a mistake in a test.
    private func changing(_ path: String, _ change: (inout Member) -> Void) -> Shape {
        let steps = path.split(separator: ".").map(String.init)
        return changing(steps[...], of: path, change)
    }

    private func changing(_ steps: ArraySlice<String>, of path: String, _ change: (inout Member) -> Void) -> Shape {
        if case .nullable(let shape) = self { return .nullable(shape.changing(steps, of: path, change)) }
        guard case .object(var members) = self, let step = steps.first
        else { preconditionFailure("\(path): \(self) has no members") }
        let depth = step.indices.filter { step[$0...].hasPrefix("[]") }.count
        let name = String(step.dropLast(2 * depth))
        guard let index = members.firstIndex(where: { $0.name == name })
        else { preconditionFailure("\(path): no member \(name)") }
        if steps.count == 1 {
            precondition(depth == 0, "\(path): elements are neither optional nor named")
            change(&members[index])
        } else {
            members[index].shape = members[index].shape.changingElements(depth, of: path) {
                $0.changing(steps.dropFirst(), of: path, change)
            }
        }
        return .object(members)
    }

    private func changingElements(_ depth: Int, of path: String, _ change: (Shape) -> Shape) -> Shape {
        if depth == 0 { return change(self) }
        if case .nullable(let shape) = self { return .nullable(shape.changingElements(depth, of: path, change)) }
        guard case .array(let element?) = self else { preconditionFailure("\(path): \(self) has no known elements") }
        return .array(element.changingElements(depth - 1, of: path, change))
    }
}
