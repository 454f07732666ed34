//! Reads HTML by the rules that browsers follow.

use html5ever::{parse_document, tendril::TendrilSink};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// A node of a page. When the document is dropped, its other nodes lose what is below them.
#[derive(Clone, Debug)]
pub(crate) struct Node(Handle);

/// Reads a page in which a browser finds nothing to repair.
pub(crate) fn parse(html: &str) -> Node {
    let dom = parse_document(RcDom::default(), Default::default()).one(html);
    let errors = dom.errors.borrow().clone();
    assert!(errors.is_empty(), "{errors:?}");
    Node(dom.document)
}

impl Node {
    pub(crate) fn children(&self) -> Vec<Node> {
        self.0.children.borrow().iter().cloned().map(Node).collect()
    }

    /// Returns the node itself and all nodes below it.
    pub(crate) fn descendants(&self) -> Vec<Node> {
        let below = self.children().into_iter().flat_map(|child| child.descendants());
        std::iter::once(self.clone()).chain(below).collect()
    }

    pub(crate) fn is(&self, tag: &str) -> bool {
        matches!(&self.0.data, NodeData::Element { name, .. } if &*name.local == tag)
    }

    /// Returns the name of the element; `None` for other nodes.
    pub(crate) fn tag(&self) -> Option<String> {
        let NodeData::Element { name, .. } = &self.0.data else { return None };
        Some(name.local.to_string())
    }

    /// Returns the names of all attributes.
    pub(crate) fn attributes(&self) -> Vec<String> {
        let NodeData::Element { attrs, .. } = &self.0.data else { return Vec::new() };
        attrs.borrow().iter().map(|attribute| attribute.name.local.to_string()).collect()
    }

    /// Returns the nodes below with this tag.
    pub(crate) fn all(&self, tag: &str) -> Vec<Node> {
        self.descendants().into_iter().filter(|node| node.is(tag)).collect()
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let NodeData::Element { attrs, .. } = &self.0.data else { return None };
        let attributes = attrs.borrow();
        let found = attributes.iter().find(|attribute| &*attribute.name.local == name)?;
        Some(found.value.to_string())
    }

    /// Returns the first node with this class.
    pub(crate) fn with_class(&self, class: &str) -> Option<Node> {
        self.descendants().into_iter().find(|node| {
            node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
        })
    }

    pub(crate) fn text(&self) -> String {
        match &self.0.data {
            NodeData::Text { contents } => contents.borrow().to_string(),
            _ => self.children().iter().map(Node::text).collect(),
        }
    }
}
