//! Messages of workers and coordinators, as any server may deliver them: nothing of them is
//! believed, and what is read is written again as it was.

use agon_remote::fleet::message::{
    Ending, WorkerMessage, read, read_batch, read_results, write_results,
};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    if let Ok(batch) = read_batch(data) {
        let text = serde_json::to_vec(&batch).expect("a batch can be written");
        assert_eq!(read_batch(&text).expect("it was read before"), batch);
        // Every seat that a match names is there.
        for seat in batch.jobs.iter().flat_map(|job| &job.seats) {
            assert!((*seat as usize) < batch.seats.len());
        }
    }
    if let Ok((results, replays)) = read_results(data) {
        assert_eq!(results.results.len(), replays.len());
        for (result, replay) in results.results.iter().zip(&replays) {
            let length = match &result.ending {
                Ending::Played { replay, .. } => *replay as usize,
                _ => 0,
            };
            assert_eq!(replay.as_ref().map_or(0, Vec::len), length);
        }
        let kept: Vec<Vec<u8>> = replays.into_iter().flatten().collect();
        let again = write_results(&results, &kept);
        assert_eq!(read_results(&again).expect("it was read before").0, results);
    }
    if let Ok(worker) = read::<WorkerMessage>(data) {
        let text = serde_json::to_vec(&worker).expect("a worker can be written");
        assert_eq!(read::<WorkerMessage>(&text), Ok(worker));
    }
}
