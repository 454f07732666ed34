//! Turns the settings of a match spec into the options with which hosts open bots.

use std::{sync::Arc, time::Duration};

use agon_bots::{Clock, HostOptions, Level, SandboxOptions, Timing};
use agon_match::spec::{MatchSettings, SandboxLevel, SandboxSettings, TimeSettings};

/// Returns the options for the hosts of bots. `machine` has what depends on the installation:
/// programs, caches, folders.
pub fn host_options(settings: &MatchSettings, machine: &HostOptions) -> HostOptions {
    let MatchSettings { time, sandbox, recording: _ } = settings;
    let own = |name: &String| {
        let time = time.of(name);
        (name.clone(), (timing(&time), start_up(&time)))
    };
    HostOptions {
        timing: timing(time),
        start_up: start_up(time),
        bot_times: Arc::new(time.bots.keys().map(own).collect()),
        sandbox: SandboxOptions {
            launcher: machine.sandbox.launcher.clone(),
            hidden: machine.sandbox.hidden.clone(),
            ..sandbox_options(sandbox)
        },
        c_as_wasm: sandbox.wasm,
        wasm_memory: sandbox.wasm_memory,
        share_jvm: sandbox.share_jvm,
        ..machine.clone()
    }
}

/// Returns the time limits in the form that hosts take.
fn timing(time: &TimeSettings) -> Timing {
    // The referee counts strikes.
    let TimeSettings { clock, limit, bank, scale, strikes: _, start_up: _, bots: _ } = *time;
    let bank = bank.map(|bank| Duration::from_millis(bank) * scale / 100);
    match (clock, limit) {
        (false, _) => Timing::Unlimited,
        (true, Some(limit)) => {
            let clock = Clock::cpu(Duration::from_millis(limit)).scaled(scale);
            Timing::Clock(clock.with_bank(bank.unwrap_or_default()))
        }
        (true, None) if scale != 100 => Timing::Scaled { percent: scale, bank },
        (true, None) => bank.map_or(Timing::Game, Timing::Bank),
    }
}

fn start_up(time: &TimeSettings) -> Option<Duration> {
    time.start_up.map(Duration::from_millis)
}

fn sandbox_options(sandbox: &SandboxSettings) -> SandboxOptions {
    SandboxOptions {
        level: match sandbox.level {
            SandboxLevel::Strict => Level::Strict,
            SandboxLevel::Default => Level::Default,
            SandboxLevel::Off => Level::Off,
        },
        memory: sandbox.memory,
        read: sandbox.read.clone(),
        write: sandbox.write.clone(),
        env: sandbox.env.clone(),
        ..SandboxOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use agon_match::spec::settings::{MAX_MS, MAX_SCALE};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn time_settings_become_clocks() {
        let of = |clock, limit, bank, scale| {
            timing(&TimeSettings { clock, limit, bank, scale, ..TimeSettings::default() })
        };
        assert_eq!(timing(&TimeSettings::default()), Timing::Game);
        assert_eq!(of(false, Some(5), Some(5), 200), Timing::Unlimited);
        assert_eq!(of(true, None, Some(7), 100), Timing::Bank(MS * 7));
        assert_eq!(of(true, Some(5), None, 100), Timing::Clock(Clock::cpu(MS * 5)));
        let scaled = Clock::cpu(MS * 10).with_bank(MS * 4);
        assert_eq!(of(true, Some(5), Some(2), 200), Timing::Clock(scaled));
        let bank = Some(MS * 3);
        assert_eq!(of(true, None, Some(2), 150), Timing::Scaled { percent: 150, bank });
        // The greatest values allowed overflow nothing.
        of(true, Some(MAX_MS), Some(MAX_MS), MAX_SCALE);
    }
}
