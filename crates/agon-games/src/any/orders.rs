//! [`AnyOrders`]: what a person has chosen so far in a turn, without the type of the game.

use std::{any::Any, fmt};

/// The orders of a person in a game of any kind, see
/// [`HumanInput::Orders`](crate::human::HumanInput::Orders).
pub struct AnyOrders(Box<dyn DynOrders>);

impl AnyOrders {
    pub(super) fn of<T: DynOrders>(orders: T) -> AnyOrders {
        AnyOrders(Box::new(orders))
    }

    /// Returns them as their own type.
    ///
    /// # Panics
    /// If they are of another game.
    pub(super) fn get<T: 'static>(&self) -> &T {
        let orders: &dyn Any = &*self.0;
        orders.downcast_ref().expect("orders of this game")
    }

    pub(super) fn get_mut<T: 'static>(&mut self) -> &mut T {
        let orders: &mut dyn Any = &mut *self.0;
        orders.downcast_mut().expect("orders of this game")
    }
}

impl Clone for AnyOrders {
    fn clone(&self) -> AnyOrders {
        AnyOrders(self.0.clone_boxed())
    }
}

impl fmt::Debug for AnyOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

pub(super) trait DynOrders: Any + fmt::Debug + Send {
    fn clone_boxed(&self) -> Box<dyn DynOrders>;
}

impl<T: Any + Clone + fmt::Debug + Send> DynOrders for T {
    fn clone_boxed(&self) -> Box<dyn DynOrders> {
        Box::new(self.clone())
    }
}
