//! Paints a replay after some inputs as a PPM picture: `shots FILE WIDTH HEIGHT SCALE THEME STEP OUT [KEYS | x,y ...]`.

use std::{error::Error, fs, time::Duration};

use agon_paint::Frame;
use agon_replay::Replay;
use agon_view::{Button, Input, Key, open};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, width, height, scale, theme, fraction, out, inputs @ ..] = &args[..] else {
        return Err("arguments".into());
    };
    let mut app = open(&Replay::open_file(file)?, theme.parse()?)?;
    let mut frame = Frame::new(width.parse()?, height.parse()?);
    app.input(Input::Scale(scale.parse()?));
    app.paint(&mut frame);
    let fraction: f32 = fraction.parse()?;
    if fraction > 0.0 {
        app.input(Input::Key(if fraction >= 1.0 { Key::End } else { Key::Char(' ') }));
    }
    let mut now = 0;
    while fraction > 0.0
        && fraction < 1.0
        && (app.status().step as f32) < fraction * app.status().steps as f32
    {
        now += 16;
        app.tick(Duration::from_millis(now));
    }
    for input in inputs {
        if let Some((x, y)) = input.split_once(',')
            && x.len() > 0
            && y.len() > 0
        {
            app.input(Input::Move { x: x.parse()?, y: y.parse()? });
            app.input(Input::Press(Button::Left));
            app.input(Input::Release(Button::Left));
        } else {
            for key in input.chars() {
                app.input(Input::Key(match key {
                    '>' => Key::Right,
                    '<' => Key::Left,
                    k => Key::Char(k),
                }));
            }
        }
    }
    app.tick(Duration::from_secs(1000));
    app.tick(Duration::from_secs(1001));
    app.paint(&mut frame);
    let mut ppm = format!("P6 {} {} 255\n", frame.width(), frame.height()).into_bytes();
    ppm.extend(frame.data().chunks(4).flat_map(|p| [p[0], p[1], p[2]]));
    fs::write(out, ppm)?;
    println!("{:#?}", app.status());
    Ok(())
}
