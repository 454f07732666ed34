//! Tries, in a child process, which mechanisms this machine offers to confine programs.

use std::{fs, io, path::Path, sync::OnceLock};

use landlock::{ABI, Access, AccessFs, LandlockStatus, Ruleset, RulesetAttr};
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, UnshareFlags, capabilities};
use serde::{Deserialize, Serialize};

use super::{Offer, namespaces, root, seccomp, sub_ids::SubIds};
use crate::{Mechanism, fork::in_child};

/// Returns the machine's offer, which a child process finds out at the first call.
///
/// Processes that are forked later know it already.
pub(crate) fn offer() -> &'static Offer {
    static OFFER: OnceLock<Offer> = OnceLock::new();
    OFFER.get_or_init(|| {
        let mut offer = Offer::default();
        try_namespaces(&mut offer);
        try_landlock(&mut offer);
        if let Err(error) =
            in_child(|| words(seccomp::attempt())).unwrap_or_else(|error| Err(error.to_string()))
        {
            let why = format!(
                "the kernel filters no system calls ({error}); it needs CONFIG_SECCOMP_FILTER"
            );
            offer.refused.insert(Mechanism::Seccomp, why);
        }
        offer
    })
}

/// A child's findings about namespaces; errors are texts.
#[derive(Serialize, Deserialize)]
struct Namespaces {
    mounts: Result<(), String>,
    processes: Result<(), String>,
    network: Result<(), String>,
}

fn words<T, E: ToString>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn try_namespaces(offer: &mut Offer) {
    offer.user = !(geteuid().is_root() && may_administrate());
    let user = offer.user;
    if user && !geteuid().is_root() {
        offer.sub_ids = in_child(|| sub_ids().ok()).ok().flatten();
    }
    let found = in_child(|| {
        if user {
            words(namespaces::enter_user())?;
        }
        Ok(Namespaces {
            processes: words(namespaces::unshare(UnshareFlags::NEWPID)),
            network: words(namespaces::unshare(UnshareFlags::NEWNET)),
            mounts: words(
                namespaces::unshare(
                    UnshareFlags::NEWNS | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS,
                )
                .and_then(|()| root::attempt()),
            ),
        })
    })
    .unwrap_or_else(|error| Err(error.to_string()));
    let remedy = remedy(user);
    let found = match found {
        // A namespace of users without one of mounts adds nothing to the protection by filters.
        Ok(Namespaces { mounts: Err(error), .. }) if user => Err(error),
        Ok(found) => Ok(found),
        Err(error) => Err(error),
    };
    let of_each = match found {
        Ok(Namespaces { mounts, processes, network }) => [mounts, processes, network],
        Err(error) => [Err(error.clone()), Err(error.clone()), Err(error)],
    };
    let names = ["mounts", "processes", "networks"];
    let mechanisms = [Mechanism::Mounts, Mechanism::Processes, Mechanism::Network];
    for ((mechanism, name), result) in mechanisms.into_iter().zip(names).zip(of_each) {
        if let Err(error) = result {
            offer.refused.insert(
                mechanism,
                format!("namespaces of {name} are not available ({error}); {remedy}"),
            );
        }
    }
}

/// Finds the users that belong to the caller, and tries them in a namespace, which the calling
/// process enters.
fn sub_ids() -> io::Result<SubIds> {
    let found = SubIds::find()?;
    let mapper = found.map_first()?;
    namespaces::unshare(UnshareFlags::NEWUSER)?;
    mapper.finish()?;
    Ok(found)
}

/// Returns whether the calling process has the privilege that namespaces need.
fn may_administrate() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}

/// Returns the remedy for refused namespaces.
fn remedy(user: bool) -> String {
    let setting = |name: &str| {
        fs::read_to_string(Path::new("/proc/sys").join(name)).map(|text| text.trim().to_owned())
    };
    let is = |name: &str, value: &str| setting(name).is_ok_and(|present| present == value);
    if user && is("kernel/apparmor_restrict_unprivileged_userns", "1") {
        "AppArmor keeps them from ordinary users: `sysctl \
         kernel.apparmor_restrict_unprivileged_userns=0` allows them"
    } else if user && is("kernel/unprivileged_userns_clone", "0") {
        "`sysctl kernel.unprivileged_userns_clone=1` allows them to ordinary users"
    } else if user && is("user/max_user_namespaces", "0") {
        "`sysctl user.max_user_namespaces=10000` allows them to ordinary users"
    } else {
        "in a container, start that with `--cap-add SYS_ADMIN --security-opt seccomp=unconfined \
         --security-opt apparmor=unconfined`"
    }
    .into()
}

fn try_landlock(offer: &mut Offer) {
    let found = in_child(|| {
        words((|| {
            let ruleset =
                Ruleset::default().handle_access(AccessFs::from_all(ABI::V1))?.create()?;
            Ok::<_, landlock::RulesetError>(match ruleset.restrict_self()?.landlock {
                LandlockStatus::Available { effective_abi, kernel_abi } => {
                    kernel_abi.unwrap_or(effective_abi as i32)
                }
                LandlockStatus::NotEnabled => -1,
                LandlockStatus::NotImplemented => 0,
            })
        })())
    });
    let why = match found.map_err(|error: io::Error| error.to_string()) {
        Ok(Ok(version)) if version > 0 => {
            offer.landlock = version;
            return;
        }
        Ok(Ok(0)) => {
            "the kernel has no Landlock; it needs Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK"
                .into()
        }
        Ok(Ok(_)) => {
            "Landlock is not enabled; add `landlock` to the kernel's boot parameter `lsm=`".into()
        }
        Ok(Err(error)) | Err(error) => format!("Landlock cannot be had ({error})"),
    };
    offer.refused.insert(Mechanism::Landlock, why);
}
