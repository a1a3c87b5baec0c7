// SPDX-License-Identifier: GPL-3.0-or-later
//! The rule above all others: nothing but a person's action becomes an answer. Registry, queues and the last look are
//! real; agents, helpers and the person are played, in any order of things.

#[path = "requests/agents.rs"]
mod agents;
#[path = "requests/panel.rs"]
mod panel;
#[path = "requests/world.rs"]
mod world;

use proptest::prelude::*;
use proptest::sample::select;

use world::{Step, World};

fn step() -> impl Strategy<Value = Step> {
    let request = 0..6_usize;
    let session = 0..3_usize;
    prop_oneof![
        6 => (session.clone(), any::<bool>(), any::<bool>()).prop_map(|(session, helper, attended)| {
            Step::Ask { session, helper, attended }
        }),
        5 => (request.clone(), 0..4_u8).prop_map(|(request, decision)| Step::Click { request, decision }),
        2 => request.clone().prop_map(Step::Leave),
        3 => request.clone().prop_map(Step::YesInTerminal),
        2 => request.clone().prop_map(Step::NoInTerminal),
        1 => request.prop_map(Step::KillHelper),
        3 => session.clone().prop_map(Step::FileIsWritten),
        3 => session.clone().prop_map(Step::FileIsRead),
        4 => session.clone().prop_map(Step::HookTells),
        1 => session.clone().prop_map(Step::Prompt),
        1 => session.prop_map(Step::EndSession),
        8 => Just(Step::MainLoop),
        6 => Just(Step::Intake),
        1 => Just(Step::KillPanel),
        1 => Just(Step::QuitPanel),
        3 => Just(Step::StartPanel),
        3 => select(vec![1_u64, 40, 400, 1_500, 61_000]).prop_map(Step::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn only_what_a_person_decided_is_printed(steps in prop::collection::vec(step(), 1..80)) {
        let mut world = World::new();
        for step in &steps {
            world.play(step);
        }
        world.settle();
        world.check_the_end();
    }
}
