//! Encodes pictures with H.264 and writes them to an MP4 file.
//!
//! `main` gives it each picture that the arena sends.

use std::{fs::File, io::BufWriter};

use anyhow::{Context, Result, anyhow, ensure};
use muxide::api::{Muxer, MuxerBuilder, VideoCodec};
use openh264::{
    OpenH264API,
    encoder::{
        BitRate, Complexity, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
        RateControlMode, UsageType, VuiConfig,
    },
    formats::YUVSlices,
};

use crate::{args::Args, colors::to_yuv};

/// The quantiser of H.264, from 0 (exact) to 51 (coarse).
///
/// With this value, small squares of colour still have sharp edges.
const QUANTISER: u8 = 24;

/// The distance of key frames in seconds: video players can jump only to these.
const SECONDS_BETWEEN_KEY_FRAMES: f64 = 4.0;

/// An MP4 file that is being written.
pub(crate) struct Encoder {
    encoder: openh264::encoder::Encoder,
    muxer: Muxer<BufWriter<File>>,
    yuv: Vec<u8>,
    width: usize,
    height: usize,
    fps: f64,
    pictures: u64,
}

impl Encoder {
    /// Starts the file.
    pub(crate) fn create(args: &Args) -> Result<Encoder> {
        let Args { width, height, fps, file } = args;
        let keys = (fps * SECONDS_BETWEEN_KEY_FRAMES).ceil().clamp(10.0, 300.0) as u32;
        let config = EncoderConfig::new()
            .usage_type(UsageType::ScreenContentRealTime)
            .rate_control_mode(RateControlMode::Off)
            .qp(QpRange::new(QUANTISER, QUANTISER))
            .complexity(Complexity::High)
            .bitrate(BitRate::from_bps(50_000_000))
            .max_frame_rate(FrameRate::from_hz(*fps as f32))
            .intra_frame_period(IntraFramePeriod::from_num_frames(keys))
            .skip_frames(false)
            // One thread: the same pictures become the same file.
            .num_threads(1)
            .vui(VuiConfig::bt709());
        let encoder =
            openh264::encoder::Encoder::with_api_config(OpenH264API::from_source(), config)
                .map_err(|error| anyhow!("the encoder does not start: {error}"))?;
        let out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
        let muxer = MuxerBuilder::new(BufWriter::new(out))
            .video(VideoCodec::H264, *width as u32, *height as u32, *fps)
            .with_fast_start(true)
            .build()
            .map_err(|error| anyhow!("{error}"))?;
        let yuv = vec![0; width * height * 3 / 2];
        Ok(Encoder { encoder, muxer, yuv, width: *width, height: *height, fps: *fps, pictures: 0 })
    }

    /// Appends a picture of four bytes per pixel.
    pub(crate) fn push(&mut self, rgba: &[u8]) -> Result<()> {
        to_yuv(rgba, self.width, self.height, &mut self.yuv);
        let (y, differences) = self.yuv.split_at(self.width * self.height);
        let (u, v) = differences.split_at(differences.len() / 2);
        let strides = (self.width, self.width / 2, self.width / 2);
        let source = YUVSlices::new((y, u, v), (self.width, self.height), strides);
        let stream = self
            .encoder
            .encode(&source)
            .map_err(|error| anyhow!("picture {}: {error}", self.pictures))?;
        let is_key = matches!(stream.frame_type(), FrameType::IDR | FrameType::I);
        let time = self.pictures as f64 / self.fps;
        self.muxer
            .write_video(time, &stream.to_vec(), is_key)
            .map_err(|error| anyhow!("{error}"))?;
        self.pictures += 1;
        Ok(())
    }

    /// Ends the file.
    pub(crate) fn finish(self) -> Result<()> {
        ensure!(self.pictures > 0, "there was no picture");
        self.muxer.finish().map_err(|error| anyhow!("{error}"))
    }
}
